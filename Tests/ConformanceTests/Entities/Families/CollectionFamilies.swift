import LiveStore

/// Rows that link, one by one and in lists.
enum Linked: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([
      EntityTable(Item.self),
      EntityTable(Tgt.self),
      EntityTable(Deep.self),
      EntityTable(Snd.self),
      EntityTable(Other.self),
      EntityTable(Linking.self),
    ]) { try Store(Item.self, Tgt.self, Deep.self, Snd.self, Other.self, Linking.self) }
  }

  struct Item: CaseEntity {
    let id: Int
    var value = 0
    var link: Ref<Tgt>?
    var second: Ref<Snd>?
    var links = RefList<Tgt>()

    init(id: Int) { self.id = id }

    static let schema = Schema<Item> {
      \.value
      \.link
      \.second
      \.links
    }
    static let columns: [any Column<Item>] = [
      identity(\.id),
      column("value", \.value),
      link("link", \.link),
      link("second", \.second),
      list("links", \.links),
    ]
  }

  struct Tgt: CaseEntity {
    let id: Int
    var value = 0
    var value2 = 0
    var deep: Ref<Deep>?

    init(id: Int) { self.id = id }

    static let schema = Schema<Tgt> {
      \.value
      \.value2
      \.deep
    }
    static let columns: [any Column<Tgt>] = [
      identity(\.id),
      column("value", \.value),
      column("value2", \.value2),
      link("deep", \.deep),
    ]
  }

  struct Deep: CaseEntity {
    let id: Int
    var value = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<Deep> { \.value }
    static let columns: [any Column<Deep>] = [identity(\.id), column("value", \.value)]
  }

  struct Snd: CaseEntity {
    let id: Int
    var value = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<Snd> { \.value }
    static let columns: [any Column<Snd>] = [identity(\.id), column("value", \.value)]
  }

  struct Other: CaseEntity {
    let id: Int
    var value = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<Other> { \.value }
    static let columns: [any Column<Other>] = [identity(\.id), column("value", \.value)]
  }

  struct Linking: CaseEntity {
    let id: Int
    var link: Ref<Item>?

    init(id: Int) { self.id = id }

    static let schema = Schema<Linking> { \.link }
    static let columns: [any Column<Linking>] = [identity(\.id), link("link", \.link)]
  }
}

/// One number.
enum Plain: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(C.self)]) { try Store(C.self) }
  }

  struct C: CaseEntity {
    let id: Int
    var v = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<C> { \.v }
    static let columns: [any Column<C>] = [identity(\.id), column("v", \.v)]
  }
}

/// A text with a shared target.
enum Pair: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(A.self), EntityTable(B.self)]) { try Store(A.self, B.self) }
  }

  struct A: CaseEntity {
    let id: Int
    var s = ""
    var link: Ref<B>?

    init(id: Int) { self.id = id }

    static let schema = Schema<A> {
      \.s
      \.link
    }
    static let columns: [any Column<A>] = [identity(\.id), column("s", \.s), link("link", \.link)]
  }

  struct B: CaseEntity {
    let id: Int
    var n = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<B> { \.n }
    static let columns: [any Column<B>] = [identity(\.id), column("n", \.n)]
  }
}

/// Two numbers, and lists of such rows.
enum Numbers: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(N.self), EntityTable(L.self)]) { try Store(N.self, L.self) }
  }

  struct N: CaseEntity {
    let id: Int
    var v = 0
    var w = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<N> {
      \.v
      \.w
    }
    static let columns: [any Column<N>] = [identity(\.id), column("v", \.v), column("w", \.w)]
  }

  struct L: CaseEntity {
    let id: Int
    var items = RefList<N>()

    init(id: Int) { self.id = id }

    static let schema = Schema<L> { \.items }
    static let columns: [any Column<L>] = [identity(\.id), list("items", \.items)]
  }
}

/// One number, and lists of such rows.
enum Integers: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(I.self), EntityTable(L.self)]) { try Store(I.self, L.self) }
  }

  struct I: CaseEntity {
    let id: Int
    var n = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<I> { \.n }
    static let columns: [any Column<I>] = [identity(\.id), column("n", \.n)]
  }

  struct L: CaseEntity {
    let id: Int
    var items = RefList<I>()

    init(id: Int) { self.id = id }

    static let schema = Schema<L> { \.items }
    static let columns: [any Column<L>] = [identity(\.id), list("items", \.items)]
  }
}

/// A list and its targets.
enum Origins: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(Org.self), EntityTable(Tg.self)]) { try Store(Org.self, Tg.self) }
  }

  struct Org: CaseEntity {
    let id: Int
    var arr = RefList<Tg>()

    init(id: Int) { self.id = id }

    static let schema = Schema<Org> { \.arr }
    static let columns: [any Column<Org>] = [identity(\.id), list("arr", \.arr)]
  }

  struct Tg: CaseEntity {
    let id: Int
    var v = 0
    var v2 = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<Tg> {
      \.v
      \.v2
    }
    static let columns: [any Column<Tg>] = [identity(\.id), column("v", \.v), column("v2", \.v2)]
  }
}

/// Links to texts.
enum Texts: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(LS.self), EntityTable(S.self)]) { try Store(LS.self, S.self) }
  }

  struct LS: CaseEntity {
    let id: Int
    var s: Ref<S>?

    init(id: Int) { self.id = id }

    static let schema = Schema<LS> { \.s }
    static let columns: [any Column<LS>] = [identity(\.id), link("s", \.s)]
  }

  struct S: CaseEntity {
    let id: Int
    var t = ""

    init(id: Int) { self.id = id }

    static let schema = Schema<S> { \.t }
    static let columns: [any Column<S>] = [identity(\.id), column("t", \.t)]
  }
}

/// A text to be put in sections.
enum Words: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(W.self)]) { try Store(W.self) }
  }

  struct W: CaseEntity {
    let id: Int
    var name = ""

    init(id: Int) { self.id = id }

    static let schema = Schema<W> { \.name }
    static let columns: [any Column<W>] = [identity(\.id), column("name", \.name)]
  }
}
