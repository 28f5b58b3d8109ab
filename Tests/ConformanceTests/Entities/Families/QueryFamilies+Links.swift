import LiveStore

/// People and their bosses.
enum PeopleSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(Person.self)]) { try Store(Person.self) }
  }

  struct Person: CaseEntity {
    let id: Int
    var name = ""
    var age = 0
    var fee: Double?
    var active: Bool?
    var born: Timestamp?
    var boss: Ref<Person>?

    init(id: Int) { self.id = id }

    static let schema = Schema<Person> {
      \.name
      \.age
      \.fee
      \.active
      \.born
      \.boss
    }
    static let columns: [any Column<Person>] = [
      identity(\.id),
      column("name", \.name),
      column("age", \.age),
      column("fee", \.fee),
      column("active", \.active),
      column("born", \.born),
      link("boss", \.boss),
    ]
  }
}

/// Texts that may be missing.
enum WordsSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(Word.self), EntityTable(Ref.self)]) { try Store(Word.self, Ref.self) }
  }

  struct Word: CaseEntity {
    let id: Int
    var text: String?

    init(id: Int) { self.id = id }

    static let schema = Schema<Word> { \.text }
    static let columns: [any Column<Word>] = [identity(\.id), column("text", \.text)]
  }

  struct Ref: CaseEntity {
    let id: Int
    var word: LiveStore.Ref<Word>?

    init(id: Int) { self.id = id }

    static let schema = Schema<Ref> { \.word }
    static let columns: [any Column<Ref>] = [identity(\.id), link("word", \.word)]
  }
}

/// Customers, items, promotions, tags.
enum ShopSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([
      EntityTable(Promo.self),
      EntityTable(Tag.self),
      EntityTable(Item.self),
      EntityTable(Cust.self),
    ]) { try Store(Promo.self, Tag.self, Item.self, Cust.self) }
  }

  struct Promo: CaseEntity {
    let id: Int
    var label: String?
    var off = 0.0
    var live = false

    init(id: Int) { self.id = id }

    static let schema = Schema<Promo> {
      \.label
      \.off
      \.live
    }
    static let columns: [any Column<Promo>] = [
      identity(\.id),
      column("label", \.label),
      column("off", \.off),
      column("live", \.live),
    ]
  }

  struct Tag: CaseEntity {
    let id: Int
    var name = ""
    var share = 0.0

    init(id: Int) { self.id = id }

    static let schema = Schema<Tag> {
      \.name
      \.share
    }
    static let columns: [any Column<Tag>] = [
      identity(\.id),
      column("name", \.name),
      column("share", \.share),
    ]
  }

  struct Item: CaseEntity {
    let id: Int
    var name = ""
    var price = 0.0
    var promo: Ref<Promo>?
    var tags = RefList<Tag>()
    var made: Timestamp?

    init(id: Int) { self.id = id }

    static let schema = Schema<Item> {
      \.name
      \.price
      \.promo
      \.tags
      \.made
    }
    static let columns: [any Column<Item>] = [
      identity(\.id),
      column("name", \.name),
      column("price", \.price),
      link("promo", \.promo),
      list("tags", \.tags),
      column("made", \.made),
    ]
  }

  struct Cust: CaseEntity {
    let id: Int
    var bal = 0.0
    var items = RefList<Item>()
    var fav: Ref<Item>?

    init(id: Int) { self.id = id }

    static let schema = Schema<Cust> {
      \.bal
      \.items
      \.fav
    }
    static let columns: [any Column<Cust>] = [
      identity(\.id),
      column("bal", \.bal),
      list("items", \.items),
      link("fav", \.fav),
    ]
  }
}

/// What is sorted by, with nils and ties.
enum SortsSet: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(Acct.self), EntityTable(P.self)]) { try Store(Acct.self, P.self) }
  }

  struct Acct: CaseEntity {
    let id: Int
    var bal = 0.0
    var tx = 0

    init(id: Int) { self.id = id }

    static let schema = Schema<Acct> {
      \.bal
      \.tx
    }
    static let columns: [any Column<Acct>] = [identity(\.id), column("bal", \.bal), column("tx", \.tx)]
  }

  struct P: CaseEntity {
    let id: Int
    var name: String?
    var age: Int?
    var acct: Ref<Acct>?

    init(id: Int) { self.id = id }

    static let schema = Schema<P> {
      \.name
      \.age
      \.acct
    }
    static let columns: [any Column<P>] = [
      identity(\.id),
      column("name", \.name),
      column("age", \.age),
      link("acct", \.acct),
    ]
  }
}

/// Links in a ring.
enum Links4Set: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(L.self), EntityTable(L2.self)]) { try Store(L.self, L2.self) }
  }

  struct L: CaseEntity {
    let id: Int
    var v = 0
    var flag = false
    var to: Ref<L2>?

    init(id: Int) { self.id = id }

    static let schema = Schema<L> {
      \.v
      \.flag
      \.to
    }
    static let columns: [any Column<L>] = [
      identity(\.id),
      column("v", \.v),
      column("flag", \.flag),
      link("to", \.to),
    ]
  }

  struct L2: CaseEntity {
    let id: Int
    var v = 0
    var back: Ref<L>?

    init(id: Int) { self.id = id }

    static let schema = Schema<L2> {
      \.v
      \.back
    }
    static let columns: [any Column<L2>] = [identity(\.id), column("v", \.v), link("back", \.back)]
  }
}
