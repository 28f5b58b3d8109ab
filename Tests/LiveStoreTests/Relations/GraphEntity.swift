import LiveStore
import TestSupport

/// An entity of the random graphs.
protocol GraphEntity: ModelEntity, Hashable {
  /// An object with links to what a model holds, mostly.
  static func random(_ id: Int, _ random: inout SplitMix64, _ model: ModelStore) -> Self
  /// Edits some properties: `choice` is 0 to 6, `position` any number.
  mutating func edit(_ choice: Int, position: Int, from other: Self)
  /// The objects of a value, which is 0 to 4.
  static func valued(_ value: Int) -> Query<Self>
  var value: Int { get }
  /// For each of its relations, the link to a target and the query that finds the objects that hold it.
  static func queriesByLink(to id: Int) -> [(link: ModelLink, query: Query<Self>)]
}

let graphEntities: [any GraphEntity.Type] = [Citizen.self, Place.self, Essay.self]

extension SplitMix64 {
  /// A link to an object that a model holds, mostly.
  fileprivate mutating func target<Target: GraphEntity>(_ model: ModelStore) -> Ref<Target> {
    if chance(49, in: 50), let id = model.ids(Target.self).randomElement(using: &self) { return Ref(id) }
    return Ref(int(0...9))
  }

  fileprivate mutating func targets<Target: GraphEntity>(
    _ model: ModelStore, upTo count: Int
  ) -> [Ref<Target>] {
    model.rows(Target.self).isEmpty ? [] : (0..<int(0...count)).map { _ in target(model) }
  }
}

extension Citizen: GraphEntity {
  static func random(_ id: Int, _ random: inout SplitMix64, _ model: ModelStore) -> Citizen {
    var citizen = Citizen(id: id, value: random.int(0...4), scratch: random.int(0...2))
    if random.chance(1, in: 3) { citizen.boss = random.target(model) }
    citizen.friends = RefSet(random.targets(model, upTo: 3))
    if random.chance(1, in: 2) {
      citizen.home = Home(place: random.chance(1, in: 3) ? random.target(model) : nil)
    }
    return citizen
  }

  mutating func edit(_ choice: Int, position: Int, from other: Citizen) {
    switch choice {
    case 0: boss = other.boss
    case 1: friends = other.friends
    case 2: home = other.home
    case 3: scratch = other.value
    case 4: friends.formUnion(other.friends)
    default: value = other.value
    }
  }

  static func valued(_ value: Int) -> Query<Citizen> { Citizen.where { $0.value == value } }

  static func queriesByLink(to id: Int) -> [(link: ModelLink, query: Query<Citizen>)] {
    let (citizen, place) = (Ref<Citizen>(id), Ref<Place>(id))
    return [
      (ModelLink("Citizen.boss", to: citizen), linking(to: citizen, by: \.boss)),
      (ModelLink("Citizen.friends", to: citizen), linking(to: citizen, by: \.friends)),
      (ModelLink("Citizen.home.place", to: place), linking(to: place, by: \.home?.place)),
    ]
  }
}

extension Place: GraphEntity {
  static func random(_ id: Int, _ random: inout SplitMix64, _ model: ModelStore) -> Place {
    var place = Place(id: id, value: random.int(0...4))
    for target in random.targets(model, upTo: 3) as [Ref<Place>] {
      place.near["\(random.int(0...3))"] = target
    }
    return place
  }

  mutating func edit(_ choice: Int, position: Int, from other: Place) {
    if choice < 5 { near = other.near } else { value = other.value }
  }

  static func valued(_ value: Int) -> Query<Place> { Place.where { $0.value == value } }

  static func queriesByLink(to id: Int) -> [(link: ModelLink, query: Query<Place>)] {
    [(ModelLink("Place.near", to: Ref<Place>(id)), linking(to: Ref(id), by: \.near))]
  }
}

extension Essay: GraphEntity {
  static func random(_ id: Int, _ random: inout SplitMix64, _ model: ModelStore) -> Essay {
    var essay = Essay(id: id, value: random.int(0...4), owner: random.target(model))
    if random.chance(1, in: 2) { essay.author = random.target(model) }
    essay.topics = RefList(random.targets(model, upTo: 5))
    if random.chance(1, in: 3) {
      for target in random.targets(model, upTo: 2) as [Ref<Citizen>] {
        essay.roles["\(random.int(0...2))"] = target
      }
    }
    if random.chance(1, in: 3) { essay.sources = RefList(random.targets(model, upTo: 2)) }
    if random.chance(39, in: 40) { essay.demanded = random.target(model) }
    for _ in 0..<random.int(0...2) {
      var part = Part(places: RefSet(random.targets(model, upTo: 1)))
      if random.chance(1, in: 2) { part.next = (random.targets(model, upTo: 1) as [Ref<Essay>]).first }
      essay.parts.append(part)
    }
    return essay
  }

  mutating func edit(_ choice: Int, position: Int, from other: Essay) {
    switch choice {
    case 0: author = other.author
    case 1: topics.append(contentsOf: other.topics)
    case 2 where !topics.isEmpty: topics.remove(at: position % topics.count)
    case 3: parts = other.parts
    case 4: sources = other.sources
    case 5:
      roles = other.roles
      owner = other.owner
    default:
      value = other.value
      demanded = other.demanded
    }
  }

  static func valued(_ value: Int) -> Query<Essay> { Essay.where { $0.value == value } }

  static func queriesByLink(to id: Int) -> [(link: ModelLink, query: Query<Essay>)] {
    let (citizen, place, essay) = (Ref<Citizen>(id), Ref<Place>(id), Ref<Essay>(id))
    return [
      (ModelLink("Essay.author", to: citizen), linking(to: citizen, by: \.author)),
      (ModelLink("Essay.owner", to: citizen), linking(to: citizen, by: \.owner)),
      (ModelLink("Essay.topics", to: place), linking(to: place, by: \.topics)),
      (ModelLink("Essay.roles", to: citizen), linking(to: citizen, by: \.roles)),
      (ModelLink("Essay.sources", to: essay), linking(to: essay, by: \.sources)),
      (ModelLink("Essay.demanded", to: place), linking(to: place, by: \.demanded)),
      (ModelLink("Essay.parts.places", to: place), linking(to: place, by: \.parts, each: \.places)),
      (ModelLink("Essay.parts.next", to: essay), linking(to: essay, by: \.parts, each: \.next)),
    ]
  }
}
