import LiveStore

struct Writer: Entity {
  let id: Int
  var country: Int

  static let schema = Schema<Writer> { \.country }
}

/// Ten books a writer.
struct Book: Entity {
  let id: Int
  var title: String
  var score: Int
  var writer: Ref<Writer>?

  static let schema = Schema<Book> {
    \.title
    \.score
    Relation(\.writer)
  }

  init(_ number: Int, writers: Int) {
    (id, title, score) = (number, "book \(number)", scattered(number))
    writer = Ref(scattered(number) % writers)
  }
}

/// Writers and books, of which `books` are not yet in the store.
func library(_ count: Int) throws -> (store: Store, books: [Book]) {
  let store = try Store(Writer.self, Book.self)
  let writers = max(1, count / 10)
  try store.write { tx in
    try tx.insert(contentsOf: (0..<writers).map { Writer(id: $0, country: $0 % 100) })
  }
  return (store, (0..<count).map { Book($0, writers: writers) })
}
