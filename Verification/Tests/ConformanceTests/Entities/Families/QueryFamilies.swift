import Foundation
import LiveStore

/// People and their bosses.
enum PeopleSet {
  static let family = CaseFamily(Person.self)

  struct Person: CaseEntity {
    var id = 0, name = "", age = 0
    var fee: Double?
    var active: Bool?
    var born: Timestamp?
    var boss: Ref<Person>?

    static let columns = Columns(\Person.id, \.name, \.age, \.fee, \.active, \.born, \.boss)
  }
}

/// Texts that may be missing.
enum WordsSet {
  static let family = CaseFamily(Word.self, Ref.self)

  struct Word: CaseEntity {
    var id = 0
    var text: String?

    static let columns = Columns(\Word.id, \.text)
  }

  struct Ref: CaseEntity {
    var id = 0
    var word: LiveStore.Ref<Word>?

    static let columns = Columns(\Ref.id, \.word)
  }
}

/// Customers, items, promotions, tags.
enum ShopSet {
  static let family = CaseFamily(Promo.self, Tag.self, Item.self, Cust.self)

  struct Promo: CaseEntity {
    var id = 0
    var label: String?
    var off = 0.0, live = false

    static let columns = Columns(\Promo.id, \.label, \.off, \.live)
  }

  struct Tag: CaseEntity {
    var id = 0, name = "", share = 0.0

    static let columns = Columns(\Tag.id, \.name, \.share)
  }

  struct Item: CaseEntity {
    var id = 0, name = "", price = 0.0
    var promo: Ref<Promo>?
    var tags = RefList<Tag>()
    var made: Timestamp?

    static let columns = Columns(
      \Item.id, \.name, \.price, \.promo, \.tags, \.made,
      inverses: [
        SchemaBuilder.buildExpression(Inverse("buyers", of: \Cust.items)),
        SchemaBuilder.buildExpression(Inverse("fans", of: \Cust.fav)),
      ])
  }

  struct Cust: CaseEntity {
    var id = 0, bal = 0.0
    var items = RefList<Item>()
    var fav: Ref<Item>?

    static let columns = Columns(\Cust.id, \.bal, \.items, \.fav)
  }
}

/// What is sorted by, with nils and ties.
enum SortsSet {
  static let family = CaseFamily(Acct.self, P.self)

  struct Acct: CaseEntity {
    var id = 0, bal = 0.0, tx = 0

    static let columns = Columns(\Acct.id, \.bal, \.tx)
  }

  struct P: CaseEntity {
    var id = 0
    var name: String?
    var age: Int?
    var acct: Ref<Acct>?

    static let columns = Columns(\P.id, \.name, \.age, \.acct)
  }
}

/// Links in a ring.
enum Links4Set {
  static let family = CaseFamily(L.self, L2.self)

  struct L: CaseEntity {
    var id = 0, v = 0, flag = false
    var to: Ref<L2>?

    static let columns = Columns(\L.id, \.v, \.flag, \.to)
  }

  struct L2: CaseEntity {
    var id = 0, v = 0
    var back: Ref<L>?

    static let columns = Columns(\L2.id, \.v, \.back)
  }
}

/// Lists of plain values.
enum PrimsSet {
  static let family = CaseFamily(Row.self)

  struct Row: CaseEntity {
    var id = 0
    var ints: [Int] = []
    var nints: [Int?] = []
    var one = 0
    var opt: Int?
    var strs: [String?] = []

    static let columns = Columns(\Row.id, \.ints, \.nints, \.one, \.opt, \.strs)
  }
}

/// A property of each type that may be missing.
enum TypesSet {
  static let family = CaseFamily(T.self)

  struct T: CaseEntity {
    var id = 0
    var u: UUID?
    var d: Data?
    var x: Double?
    var t: Timestamp?
    var f: Bool?
    var n: Int?

    static let columns = Columns(\T.id, \.u, \.d, \.x, \.t, \.f, \.n)
  }
}

/// Repeated values.
enum ModuloSet {
  static let family = CaseFamily(M.self)

  struct M: CaseEntity {
    var id = 0, a = 0, s = "", b = 0, c = 0

    static let columns = Columns(\M.id, \.a, \.s, \.b, \.c)
  }
}

/// Three numbers for and, or, not.
enum LogicSet {
  static let family = CaseFamily(X.self)

  struct X: CaseEntity {
    var id = 0, p = 0, q = 0, r = 0

    static let columns = Columns(\X.id, \.p, \.q, \.r)
  }
}

/// Numbers for arithmetic.
enum ArithSet {
  static let family = CaseFamily(N.self)

  struct N: CaseEntity {
    var id = 0, age = 0, num = 0.0, k = 0

    static let columns = Columns(\N.id, \.age, \.num, \.k)
  }
}

/// Lists of scores.
enum SpanSet {
  static let family = CaseFamily(S.self)

  struct S: CaseEntity {
    var id = 0, age = 0
    var scores: [Int] = []

    static let columns = Columns(\S.id, \.age, \.scores)
  }
}

/// Pairs of properties of one type.
enum RhsSet {
  static let family = CaseFamily(R.self)

  struct R: CaseEntity {
    var id = 0, b1 = false, b2 = false, i1 = 0, i2 = 0, s1 = "", s2 = "", d1 = 0.0

    static let columns = Columns(\R.id, \.b1, \.b2, \.i1, \.i2, \.s1, \.s2, \.d1)
  }
}

/// Names beyond ASCII.
enum WideSet {
  static let family = CaseFamily(W.self)

  struct W: CaseEntity {
    var id = 0, løb = 0, 姓名 = "", twoWords = 0

    static let columns = Columns(\W.id, \.løb, \.姓名, \.twoWords, names: ["twoWords": "two words"])
  }
}

/// Texts with marks.
enum AccentsSet {
  static let family = CaseFamily(A.self)

  struct A: CaseEntity {
    var id = 0, s = ""

    static let columns = Columns(\A.id, \.s)
  }
}
