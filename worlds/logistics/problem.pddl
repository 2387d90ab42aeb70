;   depot --2-- mill --3-- farm
;     |          |          |
;     1          1          2
;     |          |          |
;   port ---6-- town --1-- school        island: no road leads there
(define (problem valley)
  (:domain logistics)
  (:objects
    depot mill farm port town school island - place
    books flour - parcel)
  (:init
    (= (total-cost) 0)
    (van-at depot)
    (at books port) (at flour mill)
    (road depot mill) (road mill depot) (= (length depot mill) 2) (= (length mill depot) 2)
    (road mill farm) (road farm mill) (= (length mill farm) 3) (= (length farm mill) 3)
    (road depot port) (road port depot) (= (length depot port) 1) (= (length port depot) 1)
    (road mill town) (road town mill) (= (length mill town) 1) (= (length town mill) 1)
    (road farm school) (road school farm) (= (length farm school) 2) (= (length school farm) 2)
    (road port town) (road town port) (= (length port town) 6) (= (length town port) 6)
    (road town school) (road school town) (= (length town school) 1) (= (length school town) 1))
  (:goal (at books school))
  (:metric minimize (total-cost)))
