"""The account of a test trial in words: what was expected, what happened, what was surprising."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hbtom.judgement.accounts import Account
from hbtom.judgement.approaches import Approach
from hbtom.judgement.company_accounts import Acquaintance, CompanyAccount
from hbtom.judgement.moved_things import Transfer
from hbtom.observe.contact import TOUCH
from hbtom.show.place_words import knowledge, knows_better, place

SURE = 0.9  # less probable goals are stated with "seems to"
CLEAR = 0.5  # a goal is expected only if it is more probable than this
UNCLEAR = "it was not clear yet what it wants"
DETOUR = 1.1  # a path longer than this multiple of the shortest one is called a detour


def explain(account: Account) -> str:
    """Return a sentence about what was surprising about the test trial, or that nothing was.

    The account is that of :func:`hbtom.judgement.account`.
    """
    if account.changed is None:
        return _happened(account)
    return f"{_happened(account)}; probably changed its mind after frame {account.changed + 1}"


def _happened(account: Account) -> str:
    if not account.goals:
        return "there is nothing that it could want"
    if account.steps == 0:
        return "it does not move"
    if account.company is not None:
        return _in_company(account, account.company)
    if account.surprising == "goal":
        return _other_goal(account)
    went = _went(account)
    if account.surprising == "efficiency":
        manner = "" if _arrived(account) else ", moving"
        return f"{went}{manner} {efficiency(account)}"
    if account.surprising and account.detour > DETOUR:
        return f"{went} by a detour, {account.detour:.2f} times the shortest way"
    if account.surprising == "observation":
        done = f"did something unlikely up to frame {account.unlikely[1] + 1}"
        there = f" on its way to {_goal(account)}" if _arrived(account) else f", and {went}"
        return f"{done}{there}"
    if account.surprising == "waste":
        return f"{went}, wasting more on the way than expected"
    return _as_expected(account, went)


def _goal(account: Account) -> str:
    """Return the name of the likeliest goal."""
    return plain(account.goals[account.goal[-1]])


def _arrived(account: Account) -> bool:
    """Return whether the agent came to the likeliest goal."""
    return account.approaches[account.goal[-1]].reached


def _went(account: Account) -> str:
    """Return where the agent went, as it was seen: to its goal, only near it, or away from it."""
    if _arrived(account):
        return f"went to {_goal(account)}"
    called = [plain(goal) for goal in account.goals]
    return fell_short(called, account.goal[-1], account.approaches)


def fell_short(called: Sequence[str], goal: int, approaches: Sequence[Approach]) -> str:
    """Return where an agent went that did not come to its goal, in words, given all names."""
    far = f"{pixels(approaches[goal].last)} from {called[goal]}"
    both = zip(called, approaches, strict=True)
    if at := next((name for name, one in both if one.reached and one.last <= TOUCH), ""):
        return f"stopped at {at}, {far}"
    if all(one.away for one in approaches):
        every = {1: called[goal], 2: "both"}.get(len(approaches), "everything")
        return f"went away from {every}"
    return f"stopped {far}"


def pixels(far: float) -> str:
    """Return a distance in pixels, in words; infinite if a thing is absent."""
    if math.isinf(far):
        return "far"
    return f"{far:.0f} px" if far >= 10 else f"{far:.1f} px"


def _as_expected(account: Account, went: str) -> str:
    if len(account.goals) == 1:
        how = "about as efficiently as expected" if _arrived(account) else "nothing surprising"
        return f"{went}{', ' if _arrived(account) else '; '}{how}"
    if account.reachable == 1:
        return f"{went}, the only one it can reach"
    if _arrived(account) and account.chance[-1] < SURE:
        went = f"seems to have gone to {_goal(account)}"
    return f"{went}{_history(account, account.goal[-1])}; nothing surprising"


def _other_goal(account: Account) -> str:
    expected, then, last = account.goal
    went = _went(account)
    if then != last:
        went = f"headed for {plain(account.goals[then])}, as it seemed, and then {went}"
    if account.history.trials and not account.history.seen:
        return f"{plain(account.agent)} was not seen before, and {went}"
    if expected == then or account.chance[0] <= CLEAR:
        return f"had no clear preference so far, and {went}"
    return f"expected {plain(account.goals[expected])}{_history(account, expected)}; {went}"


def efficiency(account: Account) -> str:
    """Return, in words, that an agent was less or more efficient than expected."""
    before, then = account.efficiency
    how = "less" if then < before else "more"
    return f"{how} efficiently than expected (efficiency {then:.2g}, expected {before:.2g})"


def _history(account: Account, goal: int) -> str:
    """Return, in words, how often the agent went there when it had a choice."""
    past = account.history
    if past.choices and not past.reached:
        return ", though it reached nothing before"
    if past.choices:
        return f", chosen {past.chosen[goal]} of {past.choices} times"
    return "" if past.seen else f" ({plain(account.agent)} was not seen before)"


# In company


def _in_company(account: Account, here: CompanyAccount) -> str:
    """Return what matters in a trial with company; with a paddle, "it" would be ambiguous."""
    text = _about_company(account, here)
    named = here.onsets.paddle and text.startswith("it ")
    return f"{plain(account.agent)}{text.removeprefix('it')}" if named else text


def _about_company(account: Account, here: CompanyAccount) -> str:
    """Return what matters in a trial with company: cause, belief, gestures, and who helped."""
    if not account.reachable:
        return "it cannot reach anything that it could want"
    did, onsets = _did(here), here.onsets
    if onsets.passive > CLEAR:
        if onsets.now is False:
            never = "" if onsets.untouched else ", which it never did before"
            return f"it started to move though nothing touched it{never}; it {did}"
        return f"it moves only when it is pushed, so it may end up anywhere; it {did}"
    if onsets.now and onsets.untouched > onsets.touched:
        return f"it was pushed this time, though it used to move by itself; it {did}"
    if here.transfer is not None and account.surprising in ("", "goal"):
        return _where(account, here, here.transfer)
    if account.surprising == "goal":
        return _other_aim(account, here)
    if not account.surprising:
        itself = "moves by itself, and " if onsets.paddle else ""
        return f"it {itself}{_did(here, _relation(here))}; nothing surprising"
    if account.surprising == "efficiency":
        return f"it {did} {efficiency(account)}"
    if here.did.manner == "reach" and account.detour > DETOUR:
        return f"it {did} by a detour, {account.detour:.2f} times the shortest way"
    if account.surprising == "observation":
        return f"it {did}, and did something unlikely up to frame {account.unlikely[1] + 1}"
    closely = (
        ", though not closely" if here.did.manner == "copy" else ", wasting more than expected"
    )
    return f"it {did}{closely}"


def _did(here: CompanyAccount, relation: str = "") -> str:
    """Return what the agent did; ``relation`` says what its goal has meant to it before."""
    did, goal = here.did, plain(here.did.goal)
    if here.onsets.passive > CLEAR and here.onsets.now is not False:
        past, then, what = "ended up", "ended up", f"at {goal}"
    elif did.manner == "copy" and not did.maker:
        past, then, what, relation = "went", "gone", "nowhere in particular", ""
    elif did.manner == "copy":
        whose = f"the gesture of {goal}" if relation.startswith(", wh") else f"{goal}'s gesture"
        past, then, what = "copied", "copied", whose
    elif not did.arrived:
        past, then, what = "set off", "set off", f"for {goal}"
        relation += f", but stopped {pixels(did.gap)} from it"
    else:
        by = f" by way of {plain(did.maker)}'s gesture" if did.manner == "way" else ""
        place = f"to {goal}" if did.there else f"where {goal} used to be"
        past, then, what = "went", "gone", place
        relation += f",{by}" if by and relation else by
    return f"{past if here.sure >= SURE else f'seems to have {then}'} {what}{relation}"


def _other_aim(account: Account, here: CompanyAccount) -> str:
    """Return what was expected of the agent, and why, and what it did instead."""
    if account.history.trials and not account.history.seen:
        return f"{plain(account.agent)} was not seen before; it {_did(here)}"
    expected, goal = here.expected, here.did.goal
    known, chance = here.known[expected], round(here.chance, 2)
    if expected == goal and _taken(known):
        open = "it could as well have wanted something else" if _often_taken(known) else UNCLEAR
        return f"it {_did(here, _relation(here))}; {open}"
    if expected != goal and known.helped and chance > CLEAR:
        did = _did(here, _relation(here, "it"))
        return f"{plain(expected)} had {_deeds(known)}; the agent {did}"
    if expected != goal and _taken(known) and (chance > CLEAR or _often_taken(known)):
        return f"{_past(here, expected)}; this time it {_did(here, _relation(here))}"
    if expected != goal and here.known[goal].hindered and chance > CLEAR:
        return f"it was expected to want {plain(expected)}; it {_did(here, _relation(here))}"
    wanted = max(here.known, key=lambda name: _taken(here.known[name]))
    if _taken(here.known[wanted]) and wanted not in here.goals:
        return f"{_past(here, wanted)}; that is gone now, and it {_did(here, _relation(here))}"
    return f"it had no clear preference so far, and {_did(here, _relation(here))}"


def _often_taken(known: Acquaintance) -> bool:
    """Return whether the agent wanted this goal in most trials where it could."""
    return _taken(known) > known.offered / 2


def _taken(known: Acquaintance) -> int:
    return known.reached + known.copied


def _often(known: Acquaintance) -> str:
    """Return in how many trials the agent wanted this goal, for use after the word "in"."""
    both = f"{_taken(known)} of {known.offered} trials"
    return both if known.offered > 1 else "the trial before"


def _past(here: CompanyAccount, name: str) -> str:
    """Return, in words, how often the agent wanted this goal."""
    known, who = here.known[name], plain(name)
    often = f"in {_often(known)}"
    if known.copied > known.reached:
        return f"it had copied {who}'s gesture {often}"
    return f"it had {'approached' if name in here.agents else 'gone to'} {who} {often}"


def _relation(here: CompanyAccount, way: str = "the way") -> str:
    """Return what the goal has meant to the agent before; ``way`` is a word for its way."""
    did, known = here.did, here.known[here.did.goal]
    often, agent = _often(known), did.goal in here.agents
    if known.helped or known.hindered:
        return f", which had {_deeds(known, way)}"
    if not known.offered:
        return ", which is new" if any(one.offered for one in here.known.values()) else ""
    if not _taken(known):
        return ""
    if (known.copied > known.reached) == (did.manner == "copy"):
        return f", as in {often}"
    if known.copied > known.reached:
        return f", whose gesture it had copied in {often}"
    return f", which it had {'approached' if agent else 'gone to'} in {often}"


def _deeds(known: Acquaintance, way: str = "the way") -> str:
    """Return how often another agent opened or closed the way, or made it shorter or longer."""
    deeds = {
        "opened {}": known.opened,
        "made {} shorter": known.shortened,
        "closed {}": known.closed,
        "made {} longer": known.lengthened,
    }
    done = [(deed, times(count)) for deed, count in deeds.items() if count]
    phrases = (
        f"{deed.format('it' if at else way)}{often}" for at, (deed, often) in enumerate(done)
    )
    return " and ".join(phrases)


def times(count: int) -> str:
    """Return how often something happened, in words; empty if it was once."""
    return {1: "", 2: " twice"}.get(count, f" {count} times")


def _where(account: Account, here: CompanyAccount, known: Transfer) -> str:
    """Return what the agent could know about where its goal is, and where it went."""
    goal = plain(here.did.goal)
    knew = knowledge(known, goal, plain(known.mover))
    sure = "went" if here.sure >= SURE else "seems to have gone"
    where = place(known, goal, there=here.did.there)
    if account.surprising:
        return f"{knew}{', yet' if knows_better(known) else ';'} it {sure} {where}"
    return f"{knew}, and {sure} {where}; nothing surprising"


def distinct(names: Iterable[str], numbered: str = "{} ({})") -> list[str]:
    """Return names that all differ, even if case is ignored; repeated ones get a number."""
    found: dict[str, str] = {}
    for name in names:
        free, number = name, 1
        while free.casefold() in found:
            number += 1
            free = numbered.format(name, number)
        found[free.casefold()] = free
    return list(found.values())


def plain(text: str) -> str:
    """Return text that is safe on a terminal: unprintable characters become question marks."""
    return "".join(c if c.isprintable() else "?" for c in text)
