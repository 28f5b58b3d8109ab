import Foundation
import LiveStore

extension Post: ModelEntity {
  static var table: any (WritableKeyPath<Model, Table<Post>> & Sendable) { \.posts }
  static var target: LinkTarget { .post }
  static var links: [Link<Post>] {
    [
      Link(name: "author", target: .user, rule: .cascade, ids: { $0.author.map { [$0.canon] } ?? [] }) {
        _, _ in
      },
      Link(name: "team", target: .team, rule: .restrict, ids: { [$0.team.canon] }) { _, _ in },
      Link(name: "tags", target: .tag, rule: .nullify, ids: { $0.tags.map(\.canon) }) { row, id in
        row.tags.removeAll { $0.canon == id }
      },
      Link(name: "related", target: .post, rule: .nullify, ids: { $0.related.map(\.canon) }) { row, id in
        row.related = RefSet(row.related.filter { $0.canon != id })
      },
      Link(name: "roles", target: .user, rule: .nullify, ids: { $0.roles.map(\.value.canon) }) { row, id in
        for (name, user) in row.roles where user.canon == id { row.roles[name] = nil }
      },
      Link(
        name: "address.owner", target: .user, rule: .nullify,
        ids: { $0.address?.owner.map { [$0.canon] } ?? [] }
      ) {
        row, _ in row.address?.owner = nil
      },
      Link(
        name: "pinned", target: .comment, rule: .nullify, isOwned: true, ids: { $0.pinned.map(\.canon) }
      ) { row, id in row.pinned.removeAll { $0.canon == id } },
      Link(name: "items.tag", target: .tag, rule: .restrict, ids: { $0.items.compactMap { $0.tag?.canon } }) {
        _, _ in
      },
    ]
  }

  static let names = [
    "title", "likes", "status", "isHidden", "date", "rating", "author", "team",
    "tags", "related", "roles", "address", "items", "pinned",
  ]
  var values: [Canon] {
    [
      title.canon, likes.canon, status.canon, isHidden.canon, date.canon, rating.canon, author.canon,
      team.canon, tags.canon, related.canon, roles.canon, address.canon, items.canon, pinned.canon,
    ]
  }
  var ignored: Int { scratch }

  static func randomID(_ random: inout Randomness, _ palette: Palette) -> Int {
    let number = random.below(palette.ids * 2)
    return number == 0 ? .min : number == 1 ? .max : number
  }

  static func random(_ id: ID, _ random: inout Randomness, _ palette: Palette, _ model: Model) -> Post {
    var post = Post(
      id: id, title: random.pick(palette.texts), likes: random.pick(palette.integers),
      status: random.pick(Status.allCases), isHidden: random.percent(30), date: random.pick(palette.dates),
      rating: random.percent(30) ? nil : random.pick(palette.doubles),
      author: random.percent(40) ? nil : link(&random, palette, model.users),
      team: link(&random, palette, model.teams), scratch: random.below(3))
    for _ in 0..<random.below(4) { post.tags.append(link(&random, palette, model.tags)) }
    for _ in 0..<random.below(3) { post.related.insert(link(&random, palette, model.posts)) }
    for _ in 0..<random.below(2) {
      post.roles[random.pick(palette.texts)] = link(&random, palette, model.users)
    }
    if random.percent(40) { post.address = randomAddress(&random, palette, model) }
    if random.percent(20) { post.items = [randomItem(&random, palette, model)] }
    for _ in 0..<(random.percent(20) ? 2 : 0) where model.comments.count > 0 {
      post.pinned.append(link(&random, palette.withoutDangling, model.comments))
    }
    return post
  }

  static func randomAddress(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Address {
    Address(
      city: random.pick(palette.texts), height: random.pick(palette.nestedDoubles),
      owner: random.percent(60) ? nil : link(&random, palette, model.users))
  }

  static func randomItem(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Item {
    Item(count: random.below(3), tag: random.percent(50) ? nil : link(&random, palette, model.tags))
  }

  static func randomEdit(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Edit<Post> {
    switch random.below(23) {
    case 0:
      let value = random.pick(palette.texts)
      return Edit(text: "$0.title = \(value.debugDescription)") { $0.title = value }
    case 1, 2:
      let value = random.pick(palette.integers)
      return Edit(text: "$0.likes = \(value)") { $0.likes = value }
    case 3:
      let value = random.pick(Status.allCases)
      return Edit(text: "$0.status = .\(value)") { $0.status = value }
    case 4:
      return Edit(text: "$0.isHidden.toggle()") { $0.isHidden.toggle() }
    case 5:
      let value = random.pick(palette.dates)
      return Edit(text: "$0.date = Date(\(value.timeIntervalSinceReferenceDate))") { $0.date = value }
    case 6:
      let value = random.percent(30) ? nil : random.pick(palette.doubles)
      return Edit(text: "$0.rating = \(value.debugDescription)") { $0.rating = value }
    case 7, 8:
      let value = random.percent(30) ? nil : link(&random, palette, model.users)
      return Edit(text: "$0.author = \(short(value))") { $0.author = value }
    case 9:
      let value: Ref<Team> = link(&random, palette, model.teams)
      return Edit(text: "$0.team = \(short(value))") { $0.team = value }
    case 10, 11, 12, 13, 14: return randomListEdit(&random, palette, model)
    case 15, 16:
      let value: Ref<Post> = link(&random, palette, model.posts)
      if random.percent(50) {
        return Edit(text: "$0.related.remove(\(short(value)))") { $0.related.remove(value) }
      }
      return Edit(text: "$0.related.insert(\(short(value)))") { $0.related.insert(value) }
    case 17:
      let name = random.pick(palette.texts)
      let value = random.percent(30) ? nil : link(&random, palette, model.users)
      return Edit(text: "$0.roles[\(name.debugDescription)] = \(short(value))") { $0.roles[name] = value }
    case 18:
      let value = random.percent(30) ? nil : randomAddress(&random, palette, model)
      return Edit(text: "$0.address = \(value.map { "\($0)" } ?? "nil")") { $0.address = value }
    case 19, 20:
      let value = (0..<random.below(3)).map { _ in randomItem(&random, palette, model) }
      return Edit(text: "$0.items = \(value)") { $0.items = value }
    case 21:
      guard let value = model.comments.any(&random)?.id else {
        return Edit(text: "$0.pinned = []") { $0.pinned = [] }
      }
      return Edit(text: "$0.pinned.append(Ref(\(value)))") { $0.pinned.append(Ref(value)) }
    default:
      let value = random.below(100)
      return Edit(text: "$0.scratch = \(value)") { $0.scratch = value }
    }
  }

  private static func randomListEdit(
    _ random: inout Randomness, _ palette: Palette, _ model: Model
  ) -> Edit<Post> {
    let value: Ref<Tag> = link(&random, palette, model.tags)
    let (one, other) = (random.below(6), random.below(6))
    switch random.below(6) {
    case 0, 1: return Edit(text: "$0.tags.append(\(short(value)))", list: .append) { $0.tags.append(value) }
    case 2:
      return Edit(text: "$0.tags.remove(at: \(one) % count)", list: .remove(one)) {
        if !$0.tags.isEmpty { $0.tags.remove(at: one % $0.tags.count) }
      }
    case 3:
      return Edit(text: "$0.tags.move(from: \(one) % count, to: \(other) % count)", list: .move(one, other)) {
        if !$0.tags.isEmpty { $0.tags.move(from: one % $0.tags.count, to: other % $0.tags.count) }
      }
    case 4:
      return Edit(text: "$0.tags.insert(\(short(value)), at: \(one) % (count + 1))", list: .insert(one)) {
        $0.tags.insert(value, at: one % ($0.tags.count + 1))
      }
    default:
      let values: [Ref<Tag>] = (0..<random.below(4)).map { _ in link(&random, palette, model.tags) }
      return Edit(text: "$0.tags = \(values.map { short($0) })", list: .replace) { $0.tags = RefList(values) }
    }
  }
}
