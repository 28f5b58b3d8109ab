import LiveStore
import LiveStoreObservation

/// An entity with a unique property, one that does not count, and links.
struct Book: Entity, Equatable {
  let id: Int
  var title: String
  var isbn: String?
  var isLent: Bool
  var note: String
  var author: Ref<Writer>?
  var sequels: RefList<Book>

  init(
    _ id: Int, _ title: String = "", isbn: String? = nil, isLent: Bool = false, note: String = "",
    author: Ref<Writer>? = nil, sequels: RefList<Book> = []
  ) {
    self.id = id
    self.title = title
    self.isbn = isbn
    self.isLent = isLent
    self.note = note
    self.author = author
    self.sequels = sequels
  }

  static let schema = Schema<Book> {
    \.title
    Property(\.isbn, .unique)
    \.isLent
    Ignored(\.note)
    Relation(\.author)
    Relation(\.sequels)
  }
}

struct Writer: Entity {
  let id: Int
  var name = ""
  static let schema = Schema<Writer> { \.name }
}

/// A repository with some books in it, in a store of its own.
func repository(_ books: Book...) async throws -> any Repository<Book> {
  let repository = StoreRepository<Book>(try Store(Book.self, Writer.self))
  for book in books { try await repository.insert(book) }
  return repository
}
