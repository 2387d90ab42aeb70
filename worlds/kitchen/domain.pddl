; A cook with two hands, a board and a pot. Cooking and chopping cannot be undone.
(define (domain kitchen)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
                 :universal-preconditions :action-costs)
  (:types place food dish)
  (:predicates
    (at ?p - place)                ; where the cook is
    (kept ?f - food ?p - place)    ; where an ingredient is kept
    (board ?p - place)             ; where the cook can chop
    (stove ?p - place)             ; where the cook can cook
    (table ?p - place)             ; where the cook can serve
    (holding ?f - food)
    (raw ?f - food)
    (chopped ?f - food)
    (cooked ?f - food)
    (part ?f - food ?d - dish)     ; a dish needs it cooked
    (fresh ?f - food ?d - dish)    ; a dish needs it chopped but not cooked
    (served ?d - dish))
  (:functions (total-cost) - number)

  (:action go
    :parameters (?from ?to - place)
    :precondition (and (at ?from) (not (= ?from ?to)))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) 1)))

  (:action take
    :parameters (?f - food ?p - place)
    :precondition (and (at ?p) (kept ?f ?p) (not (holding ?f)))
    :effect (and (holding ?f) (not (kept ?f ?p)) (increase (total-cost) 1)))

  (:action chop
    :parameters (?f - food ?p - place)
    :precondition (and (at ?p) (board ?p) (holding ?f) (not (chopped ?f)))
    :effect (and (chopped ?f) (increase (total-cost) 2)))

  (:action cook
    :parameters (?f - food ?p - place)
    :precondition (and (at ?p) (stove ?p) (holding ?f) (raw ?f))
    :effect (and (cooked ?f) (not (raw ?f)) (increase (total-cost) 3)))

  (:action serve
    :parameters (?d - dish ?p - place)
    :precondition (and (at ?p) (table ?p)
                       (forall (?f - food)
                         (and (or (not (part ?f ?d)) (and (holding ?f) (cooked ?f)))
                              (or (not (fresh ?f ?d)) (and (holding ?f) (chopped ?f) (raw ?f))))))
    :effect (and (served ?d) (increase (total-cost) 1))))
