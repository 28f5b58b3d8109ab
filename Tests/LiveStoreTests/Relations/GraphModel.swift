import LiveStore
import TestSupport

/// The entities of the oracle: every kind of link under every rule, to others and to their like.
struct Citizen: Entity, Hashable {
  struct Home: Hashable, Sendable { var place: Ref<Place>? }

  let id: Int
  var value = 0
  var boss: Ref<Citizen>?
  var friends = RefSet<Citizen>()
  var home: Home?
  var scratch = 0

  static let schema = Schema<Citizen> {
    Property(\.value, .indexed)
    Relation(\.boss, onDelete: .cascade)
    Relation(\.friends)
    Embedded(\.home) { Relation(\.place, .owned, onDelete: .restrict) }
    Inverse("staff", of: \Citizen.boss)
    Inverse("essays", of: \Essay.author)
    Ignored(\.scratch)
  }
}

struct Place: Entity, Hashable {
  let id: Int
  var value = 0
  var near = RefMap<Place>()

  static let schema = Schema<Place> {
    Property(\.value, .indexed)
    Relation(\.near)
    Inverse("inhabitants", of: \Citizen.home?.place)
  }
}

struct Essay: Entity, Hashable {
  struct Part: Hashable, Sendable {
    var places = RefSet<Place>()
    var next: Ref<Essay>?
  }

  let id: Int
  var value = 0
  var author: Ref<Citizen>?
  var owner: Ref<Citizen>
  var topics = RefList<Place>()
  var roles = RefMap<Citizen>()
  var sources = RefList<Essay>()
  var demanded: Ref<Place>?
  var parts: [Part] = []

  static let schema = Schema<Essay> {
    Property(\.value, .indexed)
    Relation(\.author)
    Relation(\.owner, onDelete: .cascade)
    Relation(\.topics)
    Relation(\.roles, onDelete: .restrict)
    Relation(\.sources, onDelete: .restrict)
    Relation(\.demanded, isRequired: true)
    Embedded(each: \.parts) {
      Relation(\.places, .owned)
      Relation(\.next)
    }
  }
}

// MARK: The model

/// The rules of the schemas, written again.
let graphRules = ModelRules(
  onDelete: [
    "Citizen.boss": .cascade, "Citizen.home.place": .restrict, "Essay.owner": .cascade,
    "Essay.roles": .restrict, "Essay.sources": .restrict, "Essay.demanded": .restrict,
  ],
  owned: ["Citizen.home.place", "Essay.parts.places"], required: ["Essay.demanded"])

extension Citizen: ModelEntity {
  var modelLinks: [ModelLink] {
    var links = friends.map { ModelLink("Citizen.friends", to: $0) }
    if let boss { links.append(ModelLink("Citizen.boss", to: boss)) }
    if let place = home?.place { links.append(ModelLink("Citizen.home.place", to: place)) }
    return links
  }

  mutating func removeLinks(to id: Int, in property: String) {
    friends = RefSet(ids: friends.ids.filter { $0 != id })
  }

  func isSame(as other: Citizen) -> Bool {
    var other = other
    other.scratch = scratch
    return self == other
  }
}

extension Place: ModelEntity {
  var modelLinks: [ModelLink] { near.values.map { ModelLink("Place.near", to: $0) } }

  mutating func removeLinks(to id: Int, in property: String) {
    for name in near.keys where near[name] == Ref(id) { near[name] = nil }
  }
}

extension Essay: ModelEntity {
  var modelLinks: [ModelLink] {
    var links = [ModelLink("Essay.owner", to: owner)]
    if let author { links.append(ModelLink("Essay.author", to: author)) }
    links += topics.map { ModelLink("Essay.topics", to: $0) }
    links += roles.values.map { ModelLink("Essay.roles", to: $0) }
    links += sources.map { ModelLink("Essay.sources", to: $0) }
    if let demanded { links.append(ModelLink("Essay.demanded", to: demanded)) }
    for part in parts {
      links += part.places.map { ModelLink("Essay.parts.places", to: $0) }
      if let next = part.next { links.append(ModelLink("Essay.parts.next", to: next)) }
    }
    return links
  }

  mutating func removeLinks(to id: Int, in property: String) {
    switch property {
    case "Essay.author": author = nil
    case "Essay.topics": topics = RefList(topics.filter { $0.id != id })
    case "Essay.parts.places": for index in parts.indices { parts[index].places.remove(Ref(id)) }
    default: for index in parts.indices where parts[index].next?.id == id { parts[index].next = nil }
    }
  }
}
