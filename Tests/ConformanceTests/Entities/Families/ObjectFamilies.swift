import LiveStore

/// Single objects with all kinds of properties.
enum Observed: CaseFamilyType {
  static func makeFamily() -> CaseFamily {
    CaseFamily([EntityTable(T.self), EntityTable(O.self)]) { try Store(T.self, O.self) }
  }

  struct T: CaseEntity {
    let id: Int
    var v1 = 0
    var v2 = 0
    var name: String?

    init(id: Int) { self.id = id }

    static let schema = Schema<T> {
      \.v1
      \.v2
      \.name
    }
    static let columns: [any Column<T>] = [
      identity(\.id),
      column("v1", \.v1),
      column("v2", \.v2),
      column("name", \.name),
    ]
  }

  struct O: CaseEntity {
    let id: Int
    var value = 0
    var link: Ref<T>?
    var links = RefList<O>()
    var nums: [Int] = []

    init(id: Int) { self.id = id }

    static let schema = Schema<O> {
      \.value
      \.link
      \.links
      \.nums
    }
    static let columns: [any Column<O>] = [
      identity(\.id),
      column("value", \.value),
      link("link", \.link),
      list("links", \.links),
      column("nums", \.nums),
    ]
  }
}
