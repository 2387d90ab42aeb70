; Gems a and b are behind doors; gem c is not.
;
;     a.#...#.b
;     ..D.k.D..
;     ###...###
;     .......k.
;     c.#.@.#..
;
; @ the agent, D a door, k a key, # a wall. Cells are named by row and column, as in c34.
(define (problem maze)
  (:domain doors-keys-gems)
  (:objects
    c00 c01 c03 c04 c05 c07 c08
    c10 c11 c12 c13 c14 c15 c16 c17 c18
    c23 c24 c25
    c30 c31 c32 c33 c34 c35 c36 c37 c38
    c40 c41 c43 c44 c45 c47 c48 - cell
    key-1 key-2 - key
    gem-a gem-b gem-c - gem)
  (:init
    (at c44)
    (lies gem-a c00) (lies gem-b c08) (lies gem-c c40)
    (lies key-1 c14) (lies key-2 c37)
    (locked c12) (locked c16)
    (next-to c00 c01) (next-to c01 c00) (next-to c00 c10) (next-to c10 c00)
    (next-to c01 c11) (next-to c11 c01)
    (next-to c03 c04) (next-to c04 c03) (next-to c03 c13) (next-to c13 c03)
    (next-to c04 c05) (next-to c05 c04) (next-to c04 c14) (next-to c14 c04)
    (next-to c05 c15) (next-to c15 c05)
    (next-to c07 c08) (next-to c08 c07) (next-to c07 c17) (next-to c17 c07)
    (next-to c08 c18) (next-to c18 c08)
    (next-to c10 c11) (next-to c11 c10)
    (next-to c11 c12) (next-to c12 c11)
    (next-to c12 c13) (next-to c13 c12)
    (next-to c13 c14) (next-to c14 c13) (next-to c13 c23) (next-to c23 c13)
    (next-to c14 c15) (next-to c15 c14) (next-to c14 c24) (next-to c24 c14)
    (next-to c15 c16) (next-to c16 c15) (next-to c15 c25) (next-to c25 c15)
    (next-to c16 c17) (next-to c17 c16)
    (next-to c17 c18) (next-to c18 c17)
    (next-to c23 c24) (next-to c24 c23) (next-to c23 c33) (next-to c33 c23)
    (next-to c24 c25) (next-to c25 c24) (next-to c24 c34) (next-to c34 c24)
    (next-to c25 c35) (next-to c35 c25)
    (next-to c30 c31) (next-to c31 c30) (next-to c30 c40) (next-to c40 c30)
    (next-to c31 c32) (next-to c32 c31) (next-to c31 c41) (next-to c41 c31)
    (next-to c32 c33) (next-to c33 c32)
    (next-to c33 c34) (next-to c34 c33) (next-to c33 c43) (next-to c43 c33)
    (next-to c34 c35) (next-to c35 c34) (next-to c34 c44) (next-to c44 c34)
    (next-to c35 c36) (next-to c36 c35) (next-to c35 c45) (next-to c45 c35)
    (next-to c36 c37) (next-to c37 c36)
    (next-to c37 c38) (next-to c38 c37) (next-to c37 c47) (next-to c47 c37)
    (next-to c38 c48) (next-to c48 c38)
    (next-to c40 c41) (next-to c41 c40)
    (next-to c43 c44) (next-to c44 c43)
    (next-to c44 c45) (next-to c45 c44)
    (next-to c47 c48) (next-to c48 c47))
  (:goal (has gem-a)))
