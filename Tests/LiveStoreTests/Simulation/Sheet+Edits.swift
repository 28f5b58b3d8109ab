import LiveStore
import TestSupport

/// A link as plain Swift sees it.
struct SheetLink {
  /// Where it is: what its rule is listed under.
  let place: String
  let target: Sheet.Key

  init<E: Social>(_ place: String, _ reference: Ref<E>) {
    self.place = place
    target = E.key(reference.id)
  }
}

/// An entity that simulations edit.
protocol Simulated: Social {
  var links: [SheetLink] { get }
  /// Takes the links to an object away that are not in one of some places.
  mutating func lose(_ target: Sheet.Key, but kept: Set<String>)
  /// Takes one property over from another object.
  mutating func take(_ property: Int, from other: Self)
}

extension Sheet {
  static let kinds: [any Simulated.Type] = [Writer.self, Topic.self, Article.self, Reply.self, Meeting.self]

  func ids<E: Social>(_: E.Type) -> [Int] { self[keyPath: E.rows].map(\.id) }

  func contains<E: Social>(_: E.Type, _ id: Int) -> Bool { places[E.key(id)] != nil }

  mutating func put<E: Social>(_ object: E) {
    if let index = self[keyPath: E.rows].firstIndex(where: { $0.id == object.id }) {
      self[keyPath: E.rows][index] = object
    } else {
      self[keyPath: E.rows].append(object)
      places[E.key(object.id)] = (places.values.max() ?? 0) + 1
    }
  }

  /// Deletes an object and does what the rules say, the slow way.
  mutating func delete(_ key: Key, _ plan: SchemaPlan) {
    let kept = Set(SchemaPlan.links.filter { plan.rule($0) != .nullify })
    var doomed = [key]
    while let key = doomed.popLast() {
      guard places.removeValue(forKey: key) != nil else { continue }
      for kind in Self.kinds {
        func delete<E: Simulated>(_: E.Type) {
          if key.type == ObjectIdentifier(E.self) {
            for object in self[keyPath: E.rows] where object.id == key.id {
              doomed += object.links.filter { plan.owned.contains($0.place) }.map(\.target)
            }
            self[keyPath: E.rows].removeAll { $0.id == key.id }
          }
          for index in self[keyPath: E.rows].indices { self[keyPath: E.rows][index].lose(key, but: kept) }
          for object in self[keyPath: E.rows]
          where object.links.contains(where: { $0.target == key && plan.rule($0.place) == .cascade }) {
            doomed.append(E.key(object.id))
          }
        }
        delete(kind)
      }
    }
  }

  /// Why a commit of this is refused; nil if it is not.
  func refusal(_ plan: SchemaPlan) -> String? {
    for kind in Self.kinds {
      func refusal<E: Simulated>(_: E.Type) -> String? {
        for object in self[keyPath: E.rows] {
          if let link = object.links.first(where: { places[$0.target] == nil }) {
            return "\(E.self) \(object.id) links to nothing by \(link.place)"
          }
        }
        return nil
      }
      if let refusal = refusal(kind) { return refusal }
    }
    let names = topics.map(\.name)
    return plan.unique.contains("Topic.name") && Set(names).count < names.count ? "a topic's name twice" : nil
  }

  /// Whether the objects are the same, in the same order.
  func isSame(as other: Sheet) -> Bool {
    writers == other.writers && topics == other.topics && articles == other.articles
      && replies == other.replies
      && meetings == other.meetings
  }
}

extension Writer: Simulated {
  var links: [SheetLink] { follows.map { SheetLink("Writer.follows", $0) } }

  mutating func lose(_ target: Sheet.Key, but kept: Set<String>) {
    guard target.type == ObjectIdentifier(Writer.self), !kept.contains("Writer.follows") else { return }
    if follows.contains(Ref(target.id)) { follows.remove(Ref(target.id)) }
  }

  mutating func take(_ property: Int, from other: Writer) {
    switch property % 3 {
    case 0: name = other.name
    case 1: age = other.age
    default: follows = other.follows
    }
  }
}

extension Topic: Simulated {
  var links: [SheetLink] { [] }

  mutating func lose(_ target: Sheet.Key, but kept: Set<String>) {}

  mutating func take(_ property: Int, from other: Topic) {
    if property.isMultiple(of: 2) { name = other.name } else { weight = other.weight }
  }
}

extension Article: Simulated {
  var links: [SheetLink] {
    (author.map { [SheetLink("Article.author", $0)] } ?? []) + topics.map { SheetLink("Article.topics", $0) }
  }

  mutating func lose(_ target: Sheet.Key, but kept: Set<String>) {
    if author.map({ Writer.key($0.id) }) == target, !kept.contains("Article.author") { author = nil }
    if target.type == ObjectIdentifier(Topic.self), !kept.contains("Article.topics"),
      topics.contains(Ref(target.id))
    {
      topics.removeAll { $0.id == target.id }
    }
  }

  mutating func take(_ property: Int, from other: Article) {
    switch property % 5 {
    case 0: title = other.title
    case 1: likes = other.likes
    case 2: author = other.author
    case 3: topics = other.topics
    default: topics.append(contentsOf: other.topics)
    }
  }
}

extension Reply: Simulated {
  var links: [SheetLink] {
    [SheetLink("Reply.article", article)] + (parent.map { [SheetLink("Reply.parent", $0)] } ?? [])
  }

  mutating func lose(_ target: Sheet.Key, but kept: Set<String>) {
    if parent.map({ Reply.key($0.id) }) == target, !kept.contains("Reply.parent") { parent = nil }
  }

  mutating func take(_ property: Int, from other: Reply) {
    switch property % 3 {
    case 0: text = other.text
    case 1: article = other.article
    default: parent = other.parent
    }
  }
}

extension Meeting: Simulated {
  var links: [SheetLink] {
    (venue?.host.map { [SheetLink("Meeting.host", $0)] } ?? [])
      + (venue?.guests.map { SheetLink("Meeting.guests", $0) } ?? [])
      + board.values.map { SheetLink("Meeting.board", $0) }
  }

  mutating func lose(_ target: Sheet.Key, but kept: Set<String>) {
    guard target.type == ObjectIdentifier(Writer.self) else { return }
    let lost = Ref<Writer>(target.id)
    if venue?.host == lost, !kept.contains("Meeting.host") { venue?.host = nil }
    if !kept.contains("Meeting.guests"), venue?.guests.contains(lost) == true {
      venue?.guests.removeAll { $0 == lost }
    }
    if !kept.contains("Meeting.board") {
      for name in board.keys where board[name] == lost { board[name] = nil }
    }
  }

  mutating func take(_ property: Int, from other: Meeting) {
    switch property % 3 {
    case 0: name = other.name
    case 1: venue = other.venue
    default: board = other.board
    }
  }
}
