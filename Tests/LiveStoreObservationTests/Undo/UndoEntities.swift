import LiveStore

/// The domain of the undo tests: notes have an owner and labels, remarks hang on notes and on each other.
struct Owner: Entity, Hashable {
  let id: Int
  var name: String

  static let schema = Schema<Owner> { Property(\.name, .unique) }
}

struct Label: Entity, Hashable {
  let id: Int
  var name = ""

  static let schema = Schema<Label> { Property(\.name, .indexed) }
}

struct Note: Entity, Hashable {
  let id: Int
  var title = ""
  var owner: Ref<Owner>?
  var labels = RefList<Label>()
  var scratch = 0

  static let schema = Schema<Note> {
    Property(\.title, .indexed)
    Relation(\.owner)
    Relation(\.labels)
    Ignored(\.scratch)
  }
}

struct Remark: Entity, Hashable {
  let id: Int
  var text = ""
  var note: Ref<Note>
  var parent: Ref<Remark>?
  var reader: Ref<Owner>?

  static let schema = Schema<Remark> {
    \.text
    Relation(\.note, onDelete: .cascade)
    Relation(\.parent, onDelete: .cascade)
    Relation(\.reader, onDelete: .restrict)
  }
}

func makeNoteStore(_ configuration: Store.Configuration = Store.Configuration()) throws -> Store {
  try Store(Owner.self, Label.self, Note.self, Remark.self, configuration: configuration)
}

/// All objects, in insertion order.
struct Content: Equatable {
  var owners: [Owner]
  var labels: [Label]
  var notes: [Note]
  var remarks: [Remark]
}

extension Store {
  var content: Content {
    let snapshot = snapshot()
    return Content(
      owners: Array(snapshot.fetch(Owner.all)), labels: Array(snapshot.fetch(Label.all)),
      notes: Array(snapshot.fetch(Note.all)), remarks: Array(snapshot.fetch(Remark.all)))
  }

  /// What is wrong with ids, indexes and links; nil when nothing is.
  var breach: String? {
    let state = snapshot().state
    for (table, info) in zip(state.tables, state.catalog.entities) {
      if let breach = table._checkInvariants(info) { return breach }
    }
    return nil
  }
}
