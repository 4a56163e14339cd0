from cudald import main

main()
