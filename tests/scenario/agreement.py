"""Where cudald's answer differs from the real loader's. Each function yields one line per difference."""
import os

from answer import in_existing_folders


def differences(plan, real, said, bound=()):
    """`bound`: the symbols of which it matters where they are found."""
    if real.hung:
        # Nothing to compare with: cudald must have come back, and must not promise a start.
        if said.started:
            yield "the real loader waits for ever, cudald sees no error"
        return
    yield from outcome(real, said)
    yield from objects(real, said)
    if real.logged:
        yield from searches(plan, real, said)
    yield from symbols(real, said)
    yield from versions(real, said)
    yield from bindings(real, said, bound)


def outcome(real, said):
    if not same_error(real.error, said.error):
        yield f"error: the loader says {real.error!r}, cudald {said.error!r}"
    if real.dlopens != said.dlopens:
        yield f"dlopen: the loader says {real.dlopens}, cudald {said.dlopens}"


def same_error(real, said):
    inconsistent = "Inconsistency detected by ld.so"
    if real is not None and said is not None and real.startswith(inconsistent):
        return said.startswith(inconsistent)  # behind it stands a line number of the loader's own source
    return real == said


def objects(real, said):
    if real.error is not None:
        # cudald goes on behind the error to report all; the loader has mapped a first part of that.
        agree = real.objects == said.objects[:len(real.objects)]
    elif any(error for _, error in real.dlopens):
        # cudald lists what a dlopen that fails unmaps again; only glibc's log shows that too.
        lasting = [path for path in said.objects if path in real.objects]
        agree = (said.objects == real.objects[:1] + real.mapped
                 or list(dict.fromkeys(lasting)) == real.objects == real.objects[:1] + real.mapped)
    else:
        agree = real.objects == said.objects
    if not agree:
        yield f"load order: the loader maps {real.objects}, cudald {said.objects}"


def searches(plan, real, said):
    if real.searches and not real.searches[0].requester:  # musl, where only the sequence of opens is seen
        wanted = [path for one in real.searches for path in one.tried]
        told = [path for one in said.searches for path in one.tried]
        if wanted != told:
            yield f"paths opened: the loader {wanted}, cudald {told}"
        return
    for requester in real.requesters():
        wanted = real.searched(requester)
        told = said.searched(requester)
        if real.error is not None or real.dlopens:
            told = told[:len(wanted)]
        if outcomes(wanted) != outcomes(told):
            yield f"searches of {requester}: the loader {outcomes(wanted)}, cudald {outcomes(told)}"
            continue
        for one, other in zip(wanted, told):
            yield from tried(plan, one, other)
    if real.error is None and not any(error for _, error in real.dlopens):
        for requester in said.requesters():
            if requester not in real.requesters():
                yield f"searches of {requester}: the loader makes none, cudald {said.searched(requester)}"


def outcomes(searches_made):
    """What was searched and found. The log has the tokens of a needed name expanded, the file has not."""
    return [(one.name.replace("$ORIGIN", os.path.dirname(one.requester)), one.found) for one in searches_made]


def tried(plan, one, other):
    if "/" in one.name or not one.tried:
        return
    real = in_existing_folders(one.tried, one.name, plan)
    told = in_existing_folders(other.tried, one.name, plan)
    if real != told:
        yield f"paths tried for {one.name} by {one.requester}: the loader {real}, cudald {told}"


def symbols(real, said):
    if real.undefined is not None and real.undefined != said.undefined:
        yield f"undefined: the loader says {shown(real.undefined)}, cudald {shown(said.undefined)}"
    elif real.undefined_now is not None and real.undefined_now != said.undefined_now:
        yield f"undefined at once: the loader says {shown(real.undefined_now)}, cudald {shown(said.undefined_now)}"


def versions(real, said):
    if real.versions is not None and real.versions != said.versions:
        yield f"versions that are missing: the loader says {sorted(real.versions)}, cudald {sorted(said.versions)}"


def bindings(real, said, bound):
    for symbol in bound:
        wanted = sorted(one for one in real.bindings if one[1] == symbol)
        told = sorted(one for one in said.bindings if one[1] == symbol)
        if wanted != told:
            yield f"bindings of {symbol}: the loader {wanted}, cudald {told}"


def shown(undefined):
    return sorted(str(one) for one in undefined)
