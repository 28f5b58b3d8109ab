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

/// Which repository a case runs against.
enum Kind: CaseIterable {
  case store, inMemory, anyStore, anyInMemory

  /// A repository with some books in it.
  func books(_ books: Book...) async throws -> any Repository<Book> {
    let repository: any Repository<Book> =
      switch self {
      case .store: StoreRepository(try Store(Book.self, Writer.self))
      case .inMemory: try InMemoryRepository()
      case .anyStore: AnyRepository(StoreRepository(try Store(Book.self, Writer.self)))
      case .anyInMemory: AnyRepository(try InMemoryRepository())
      }
    for book in books { try await repository.insert(book) }
    return repository
  }
}
