; A robot with an unreliable gripper. A quick grasp costs little and fails half of the time. A firm
; grasp costs more and never fails. A fragile object may break in a quick grasp, and then it is
; lost for good.

(define (domain gripper)
  (:requirements :strips :typing :negative-preconditions :action-costs :probabilistic-effects)
  (:types thing place)
  (:predicates
    (on ?t - thing ?p - place)
    (at ?p - place)                    ; where the gripper is
    (holding ?t - thing)
    (busy)
    (fragile ?t - thing)
    (broken ?t - thing))
  (:functions (total-cost) - number)

  (:action move
    :parameters (?from ?to - place)
    :precondition (and (at ?from) (not (= ?from ?to)))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) 1)))

  (:action grasp
    :parameters (?t - thing ?p - place)
    :precondition (and (at ?p) (on ?t ?p) (not (busy)) (not (fragile ?t)))
    :effect (and (probabilistic 1/2 (and (not (on ?t ?p)) (holding ?t) (busy)))
                 (increase (total-cost) 1)))

  (:action grasp-fragile
    :parameters (?t - thing ?p - place)
    :precondition (and (at ?p) (on ?t ?p) (not (busy)) (fragile ?t))
    :effect (and (probabilistic 0.5 (and (not (on ?t ?p)) (holding ?t) (busy))
                                0.1 (and (not (on ?t ?p)) (broken ?t)))
                 (increase (total-cost) 1)))

  (:action grip-firmly
    :parameters (?t - thing ?p - place)
    :precondition (and (at ?p) (on ?t ?p) (not (busy)))
    :effect (and (not (on ?t ?p)) (holding ?t) (busy) (increase (total-cost) 3)))

  (:action put
    :parameters (?t - thing ?p - place)
    :precondition (and (at ?p) (holding ?t))
    :effect (and (on ?t ?p) (not (holding ?t)) (not (busy)) (increase (total-cost) 1))))
