; A maze with gems behind locked doors. A key opens any door, but only one: it stays in the lock.
(define (domain doors-keys-gems)
  (:requirements :strips :typing :negative-preconditions)
  (:types cell thing - object
          key gem - thing)
  (:predicates
    (at ?c - cell)                 ; where the agent is
    (next-to ?a ?b - cell)
    (locked ?c - cell)             ; a door that is still locked
    (lies ?t - thing ?c - cell)
    (has ?t - thing))

  (:action move
    :parameters (?from ?to - cell)
    :precondition (and (at ?from) (next-to ?from ?to) (not (locked ?to)))
    :effect (and (not (at ?from)) (at ?to)))

  (:action pick-up
    :parameters (?t - thing ?c - cell)
    :precondition (and (at ?c) (lies ?t ?c))
    :effect (and (has ?t) (not (lies ?t ?c))))

  (:action unlock
    :parameters (?k - key ?here ?door - cell)
    :precondition (and (at ?here) (next-to ?here ?door) (locked ?door) (has ?k))
    :effect (and (not (locked ?door)) (not (has ?k)))))
