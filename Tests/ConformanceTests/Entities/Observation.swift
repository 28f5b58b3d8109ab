import LiveStore
import Synchronization

/// A token whose handler writes down what it is told, to be looked at after `settled()`.
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

/// What an observer of a collection was told, without its type.
enum CollectionEvent: Sendable {
  case initial([Int])
  case update(IndexChanges, previous: [Int], current: [Int])
  case error(String)
}

/// What an observer of one object was told, without its type.
enum ObjectEvent: Sendable {
  /// A property with its values before and after.
  struct Change: Sendable, Equatable {
    let property: String
    let old: JSONValue
    let new: JSONValue
  }

  case initial(exists: Bool)
  case changed([Change])
  case deleted
  case inserted
  case error(String)
}

extension EntityTable {
  func observe(_ description: JSONValue, in store: Store, excluding origins: Set<String>) throws
    -> Observation<CollectionEvent>
  {
    if description["kind"] == "list" { throw CaseFailure.notApplicable("relations: RefList") }
    let (query, properties) = (try query(description), try properties(description))
    return Observation { recorder in
      store.observe(query, properties: properties, excluding: origins) { change in
        switch change {
        case .initial(let results): recorder.add(.initial(Array(results.ids)))
        case .update(let results, let changes):
          recorder.add(
            .update(
              IndexChanges(changes.batchUpdates), previous: Array(changes.previous.ids),
              current: Array(results.ids)))
        case .error(let error): recorder.add(.error("\(error)"))
        }
      }
    }
  }

  func observeObject(_ description: JSONValue, in store: Store, excluding origins: Set<String>) throws
    -> Observation<ObjectEvent>
  {
    let (id, properties) = (try description.integer("id"), try properties(description))
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
  private static func event(
    _ columns: [any Column<Element>], _ old: Element, _ new: Element, _ properties: [PropertyChange]
  ) -> ObjectEvent {
    var changes: [ObjectEvent.Change] = []
    for property in properties {
      guard let column = columns.first(where: { $0.storedName == property.name }) else {
        return .error("a change of the unknown property \(property.name)")
      }
      let (before, after) = (column.json(in: old), column.json(in: new))
      guard column.json(of: property.old) == before, column.json(of: property.new) == after else {
        return .error("\(property) is not what the objects hold: \(before), \(after)")
      }
      changes.append(ObjectEvent.Change(property: column.name, old: before, new: after))
    }
    return .changed(changes)
  }
}
