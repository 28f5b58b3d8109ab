import LiveStore

extension Team: ModelEntity {
  static var table: any (WritableKeyPath<Model, Table<Team>> & Sendable) { \.teams }
  static var target: LinkTarget { .team }
  static var links: [Link<Team>] { [] }

  static let names = ["name", "rank", "city", "samples"]
  var values: [Canon] {
    [name.canon, rank.canon, city.canon, samples.canon]
  }

  static func randomID(_ random: inout Randomness, _ palette: Palette) -> Int {
    random.below(min(palette.ids / 2, 40))
  }

  static func random(_ id: Int, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> Team {
    Team(
      id: id, name: random.percent(80) ? "team \(id)" : random.pick(palette.texts),
      rank: random.pick(palette.integers), city: random.percent(30) ? nil : random.pick(palette.texts),
      samples: random.percent(60) ? [] : [random.pick(palette.nestedDoubles)])
  }

  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<Team> {
    switch random.below(4) {
    case 0:
      let value = random.pick(palette.texts)
      return Edit(text: "$0.name = \(value.debugDescription)") { $0.name = value }
    case 1:
      let value = random.pick(palette.integers)
      return Edit(text: "$0.rank = \(value)") { $0.rank = value }
    case 2:
      let value = random.percent(30) ? nil : random.pick(palette.texts)
      return Edit(text: "$0.city = \(value.debugDescription)") { $0.city = value }
    default:
      let value = random.pick(palette.nestedDoubles)
      return Edit(text: "$0.samples = [\(value)]") { $0.samples = [value] }
    }
  }
}

extension Tag: ModelEntity {
  static var table: any (WritableKeyPath<Model, Table<Tag>> & Sendable) { \.tags }
  static var target: LinkTarget { .tag }
  static var links: [Link<Tag>] {
    [
      Link(name: "parent", target: .tag, rule: .cascade, ids: { $0.parent.map { [$0.canon] } ?? [] }) {
        row, _ in
        row.parent = nil
      }
    ]
  }

  static let names = ["name", "weight", "parent"]
  var values: [Canon] {
    [name.canon, weight.canon, parent.canon]
  }

  static func randomID(_ random: inout Randomness, _ palette: Palette) -> CollidingID {
    CollidingID(number: random.below(min(palette.ids, 60)))
  }

  static func random(_ id: ID, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> Tag {
    Tag(
      id: id, name: random.pick(palette.texts), weight: random.pick(palette.doubles),
      parent: random.percent(75) ? nil : link(&random, palette, model.tags))
  }

  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<Tag> {
    switch random.below(3) {
    case 0:
      let value = random.pick(palette.texts)
      return Edit(text: "$0.name = \(value.debugDescription)") { $0.name = value }
    case 1:
      let value = random.pick(palette.doubles)
      return Edit(text: "$0.weight = \(value)") { $0.weight = value }
    default:
      let value = random.percent(60) ? nil : link(&random, palette, model.tags)
      return Edit(text: "$0.parent = \(short(value))") { $0.parent = value }
    }
  }
}

extension User: ModelEntity {
  static var table: any (WritableKeyPath<Model, Table<User>> & Sendable) { \.users }
  static var target: LinkTarget { .user }
  static var links: [Link<User>] {
    [
      Link(name: "team", target: .team, rule: .nullify, ids: { $0.team.map { [$0.canon] } ?? [] }) { row, _ in
        row.team = nil
      },
      Link(name: "boss", target: .user, rule: .restrict, ids: { $0.boss.map { [$0.canon] } ?? [] }) { _, _ in
      },
    ]
  }

  static let names = ["name", "score", "age", "ratio", "quota", "balance", "handle", "team", "boss"]
  var values: [Canon] {
    [
      name.canon, score.canon, age.canon, ratio.canon, quota.canon, balance.canon, handle.canon, team.canon,
      boss.canon,
    ]
  }
  var ignored: Int { scratch }

  static func randomID(_ random: inout Randomness, _ palette: Palette) -> String {
    let number = random.below(palette.ids)
    return number < palette.texts.count ? palette.texts[number] : "user \(number)"
  }

  static func random(_ id: ID, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> User {
    User(
      id: id, name: random.pick(palette.texts), score: random.pick(palette.doubles),
      age: random.percent(30) ? nil : random.pick(palette.integers), ratio: random.pick(palette.floats),
      quota: random.pick(palette.quotas), balance: random.percent(30) ? nil : random.pick(palette.decimals),
      handle: random.percent(70) ? nil : random.percent(70) ? "handle " + id : random.pick(palette.texts),
      team: random.percent(50) ? nil : link(&random, palette, model.teams),
      boss: random.percent(80) ? nil : link(&random, palette, model.users), scratch: random.below(3))
  }

  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<User> {
    switch random.below(10) {
    case 0:
      let value = random.pick(palette.texts)
      return Edit(text: "$0.name = \(value.debugDescription)") { $0.name = value }
    case 1:
      let value = random.pick(palette.doubles)
      return Edit(text: "$0.score = \(value)") { $0.score = value }
    case 2:
      let value = random.percent(30) ? nil : random.pick(palette.integers)
      return Edit(text: "$0.age = \(value.debugDescription)") { $0.age = value }
    case 3:
      let value = random.percent(60) ? nil : random.pick(palette.texts)
      return Edit(text: "$0.handle = \(value.debugDescription)") { $0.handle = value }
    case 4:
      let value = random.percent(30) ? nil : link(&random, palette, model.teams)
      return Edit(text: "$0.team = \(short(value))") { $0.team = value }
    case 5:
      let value = random.percent(50) ? nil : link(&random, palette, model.users)
      return Edit(text: "$0.boss = \(short(value))") { $0.boss = value }
    case 6:
      let value = random.pick(palette.floats)
      return Edit(text: "$0.ratio = \(value)") { $0.ratio = value }
    case 7:
      let value = random.pick(palette.quotas)
      return Edit(text: "$0.quota = \(value)") { $0.quota = value }
    case 8:
      let value = random.percent(30) ? nil : random.pick(palette.decimals)
      return Edit(text: "$0.balance = \(value.debugDescription)") { $0.balance = value }
    default:
      let value = random.below(100)
      return Edit(text: "$0.scratch = \(value)") { $0.scratch = value }
    }
  }
}

extension Comment: ModelEntity {
  static var table: any (WritableKeyPath<Model, Table<Comment>> & Sendable) { \.comments }
  static var target: LinkTarget { .comment }
  static var links: [Link<Comment>] {
    [
      Link(name: "post", target: .post, rule: .cascade, ids: { [$0.post.canon] }) { _, _ in },
      Link(name: "reply", target: .comment, rule: .nullify, ids: { $0.reply.map { [$0.canon] } ?? [] }) {
        row, _ in
        row.reply = nil
      },
    ]
  }

  static let names = ["text", "votes", "post", "reply"]
  var values: [Canon] {
    [text.canon, votes.canon, post.canon, reply.canon]
  }

  static func randomID(_ random: inout Randomness, _ palette: Palette) -> CrowdedID {
    CrowdedID(number: random.below(palette.ids * 2))
  }

  static func random(_ id: ID, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> Comment {
    Comment(
      id: id, text: random.pick(palette.texts),
      votes: random.percent(30) ? nil : random.pick(palette.integers),
      post: link(&random, palette, model.posts),
      reply: random.percent(60) ? nil : link(&random, palette, model.comments))
  }

  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<Comment> {
    switch random.below(4) {
    case 0:
      let value = random.pick(palette.texts)
      return Edit(text: "$0.text = \(value.debugDescription)") { $0.text = value }
    case 1:
      let value = random.percent(30) ? nil : random.pick(palette.integers)
      return Edit(text: "$0.votes = \(value.debugDescription)") { $0.votes = value }
    case 2:
      let value: Ref<Post> = link(&random, palette, model.posts)
      return Edit(text: "$0.post = \(short(value))") { $0.post = value }
    default:
      let value = random.percent(40) ? nil : link(&random, palette, model.comments)
      return Edit(text: "$0.reply = \(short(value))") { $0.reply = value }
    }
  }
}

/// A reference to an object that is there, or now and then to one that may not be.
func link<Target: ModelEntity>(_ random: inout Randomness, _ palette: Palette, _ table: Table<Target>) -> Ref<
  Target
> {
  if !random.percent(palette.dangling), let target = table.any(&random) { return Ref(target.id) }
  return Ref(Target.randomID(&random, palette))
}

func short<Target>(_ reference: Ref<Target>?) -> String { reference.map { "Ref(\($0.id))" } ?? "nil" }
