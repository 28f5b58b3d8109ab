import LiveStore
import Synchronization

/// A token whose handler records what it receives, to be looked at after `settled()`.
final class Observation<Event: Sendable>: Sendable {
  private let recorder: Recorder<Event>
  private let token: NotificationToken

  /// - Parameter begin: observes, handing every event to the recorder.
  init(_ begin: (Recorder<Event>) -> NotificationToken) {
    recorder = Recorder()
    token = begin(recorder)
  }

  func pause() { token.pause() }
  func resume() { token.resume() }
  func invalidate() { token.invalidate() }

  /// The events since the last call.
  func take() -> [Event] { recorder.take() }
}

/// Events in the order of their calls.
final class Recorder<Event: Sendable>: Sendable {
  private let events = Mutex<[Event]>([])

  func add(_ event: Event) { events.withLock { $0.append(event) } }

  func take() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

/// What an observer of a collection received, without its type.
enum CollectionEvent: Sendable {
  case initial([Int])
  case update(IndexChanges, previous: [Int], current: [Int])
  case error(String)
}

/// What an observer of one object received, without its type.
enum ObjectEvent: Sendable {
  /// A property with its values before and after.
  struct Change: Sendable, Equatable {
    let property: String
    let old: JSONValue
    let new: JSONValue
  }

  /// The property under which changes behind links to the object are reported.
  static let backlinks = "@links"

  case initial(exists: Bool)
  case changed([Change])
  case deleted
  case inserted
  case error(String)
}

extension EntityTable {
  func observeObject(
    _ description: JSONValue, in store: Store, _ tables: Tables, excluding origins: Set<String>
  ) throws -> Observation<ObjectEvent> {
    let (id, properties) = (try description.integer("id"), try properties(description, tables))
    let columns = columns
    return Observation { recorder in
      store.observe(Element.self, id, properties: properties, excluding: origins) { change in
        switch change {
        case .initial(let object): recorder.add(.initial(exists: object != nil))
        case .change(let old, let new, let properties):
          recorder.add(Self.event(columns, old, new, properties))
        case .deleted: recorder.add(.deleted)
        case .inserted: recorder.add(.inserted)
        case .error(let error): recorder.add(.error("\(error)"))
        }
      }
    }
  }

  /// The named properties, whose values must be those of the two objects.
  ///
  /// A linked value is reported under its path, of which the cases name the first step.
  private static func event(
    _ columns: [any Column<Element>], _ old: Element, _ new: Element, _ properties: [PropertyChange]
  ) -> ObjectEvent {
    var changes: [ObjectEvent.Change] = []
    func add(_ change: ObjectEvent.Change) {
      if !changes.contains(where: { $0.property == change.property }) { changes.append(change) }
    }
    for property in properties {
      if let column = columns.first(where: { $0.storedName == property.name }) {
        let (before, after) = (column.json(in: old), column.json(in: new))
        guard column.json(of: property.old) == before, column.json(of: property.new) == after else {
          return .error("\(property) is not what the objects hold: \(before), \(after)")
        }
        add(ObjectEvent.Change(property: column.name, old: before, new: after))
        continue
      }
      let root = property.name.prefix { $0 != "." }
      if let column = columns.first(where: { $0.storedName == root }) {
        add(ObjectEvent.Change(property: column.name, old: .null, new: .null))
      } else if root.hasPrefix("linking(") {
        add(ObjectEvent.Change(property: ObjectEvent.backlinks, old: .null, new: .null))
      } else {
        return .error("a change of the unknown property \(property.name)")
      }
    }
    return .changed(changes)
  }
}
