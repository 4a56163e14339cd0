: no file is asked about
