import Foundation
import LiveStore

/// Lists of plain values.
enum PrimsSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(Row.self)]) { try Store(Row.self) }
  }

  struct Row: CaseEntity {
    let id: Int
    var ints: [Int] = []
    var nints: [Int?] = []
    var one = 0
    var opt: Int?
    var strs: [String?] = []

    init(id: Int) { self.id = id }

    static let schema = Schema<Row> {
      \.ints
      \.nints
      \.one
      \.opt
      \.strs
    }
    static let columns: [any Column<Row>] = [
      identity(\.id),
      column("ints", \.ints),
      column("nints", \.nints),
      column("one", \.one),
      column("opt", \.opt),
      column("strs", \.strs),
    ]
  }
}

/// A property of each type that may be missing.
enum TypesSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(T.self)]) { try Store(T.self) }
  }

  struct T: CaseEntity {
    let id: Int
    var u: UUID?
    var d: Data?
    var x: Double?
    var t: Timestamp?
    var f: Bool?
    var n: Int?

    init(id: Int) { self.id = id }

    static let schema = Schema<T> {
      \.u
      \.d
      \.x
      \.t
      \.f
      \.n
    }
    static let columns: [any Column<T>] = [
      identity(\.id),
      column("u", \.u),
      column("d", \.d),
      column("x", \.x),
      column("t", \.t),
      column("f", \.f),
      column("n", \.n),
    ]
  }
}

/// Repeated values.
enum ModuloSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(M.self)]) { try Store(M.self) }
  }

  struct M: CaseEntity {
    let id: Int
    var a = 0
    var s = ""
    var b = 0
    var c = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<M> {
      \.a
      \.s
      \.b
      \.c
    }
    static let columns: [any Column<M>] = [
      identity(\.id),
      column("a", \.a),
      column("s", \.s),
      column("b", \.b),
      column("c", \.c),
    ]
  }
}

/// Three numbers for and, or, not.
enum LogicSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(X.self)]) { try Store(X.self) }
  }

  struct X: CaseEntity {
    let id: Int
    var p = 0
    var q = 0
    var r = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<X> {
      \.p
      \.q
      \.r
    }
    static let columns: [any Column<X>] = [
      identity(\.id),
      column("p", \.p),
      column("q", \.q),
      column("r", \.r),
    ]
  }
}

/// Numbers for arithmetic.
enum ArithSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(N.self)]) { try Store(N.self) }
  }

  struct N: CaseEntity {
    let id: Int
    var age = 0
    var num = 0.0
    var k = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<N> {
      \.age
      \.num
      \.k
    }
    static let columns: [any Column<N>] = [
      identity(\.id),
      column("age", \.age),
      column("num", \.num),
      column("k", \.k),
    ]
  }
}

/// Lists of scores.
enum SpanSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(S.self)]) { try Store(S.self) }
  }

  struct S: CaseEntity {
    let id: Int
    var age = 0
    var scores: [Int] = []

    init(id: Int) { self.id = id }

    static let schema = Schema<S> {
      \.age
      \.scores
    }
    static let columns: [any Column<S>] = [identity(\.id), column("age", \.age), column("scores", \.scores)]
  }
}

/// Pairs of properties of one type.
enum RhsSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(R.self)]) { try Store(R.self) }
  }

  struct R: CaseEntity {
    let id: Int
    var b1 = false
    var b2 = false
    var i1 = 0
    var i2 = 0
    var s1 = ""
    var s2 = ""
    var d1 = 0.0

    init(id: Int) { self.id = id }

    static let schema = Schema<R> {
      \.b1
      \.b2
      \.i1
      \.i2
      \.s1
      \.s2
      \.d1
    }
    static let columns: [any Column<R>] = [
      identity(\.id),
      column("b1", \.b1),
      column("b2", \.b2),
      column("i1", \.i1),
      column("i2", \.i2),
      column("s1", \.s1),
      column("s2", \.s2),
      column("d1", \.d1),
    ]
  }
}

/// Names beyond ASCII.
enum WideSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(W.self)]) { try Store(W.self) }
  }

  struct W: CaseEntity {
    let id: Int
    var løb = 0
    var 姓名 = ""
    var twoWords = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<W> {
      \.løb
      \.姓名
      Property(\.twoWords, "two words")
    }
    static let columns: [any Column<W>] = [
      identity(\.id),
      column("løb", \.løb),
      column("姓名", \.姓名),
      column("two words", \.twoWords),
    ]
  }
}

/// Texts with marks.
enum AccentsSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(A.self)]) { try Store(A.self) }
  }

  struct A: CaseEntity {
    let id: Int
    var s = ""

    init(id: Int) { self.id = id }

    static let schema = Schema<A> { \.s }
    static let columns: [any Column<A>] = [identity(\.id), column("s", \.s)]
  }
}
