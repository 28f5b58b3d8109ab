import Foundation
import LiveStore

private let texts: @Sendable (Palette) -> [String] = { $0.texts + ["team 1", "team 2"] }

extension Post {
  static let menu = Menu<Post>(
    fields: ownFields + linkedFields, asked: sums,
    bases: [
      { random, palette, model in
        let id = model.posts.any(&random)?.id ?? Post.randomID(&random, palette)
        return Question(
          Post.linked(from: \Post.related, of: id), "Post.linked(from: \\Post.related, of: \(id))"
        ) { model in
          let ids = Set(model.posts[id]?.related.map(\.id) ?? [])
          return Question.candidates(model.posts.rows.filter { ids.contains($0.id) })
        }
      },
      { random, palette, model in
        let target: Ref<User> = link(&random, palette, model.users)
        return Question(Post.linking(to: target, by: \.author), "Post.linking(to: \(target), by: author)") {
          model in
          Question.candidates(model.posts.rows.filter { $0.author == target })
        }
      },
      { random, palette, model in
        let target: Ref<Tag> = link(&random, palette, model.tags)
        return Question(Post.linking(to: target, by: \.tags), "Post.linking(to: \(target), by: tags)") {
          model in
          Question.candidates(model.posts.rows.filter { $0.tags.contains(target) })
        }
      },
      { random, palette, model in
        let target: Ref<User> = link(&random, palette, model.users)
        return Question(
          Post.linking(to: target, by: \.address?.owner), "Post.linking(to: \(target), by: address?.owner)"
        ) { model in Question.candidates(model.posts.rows.filter { $0.address?.owner == target }) }
      },
      { random, palette, model in
        let target: Ref<Tag> = link(&random, palette, model.tags)
        return Question(
          Post.linking(to: target, by: \.items, each: \.tag),
          "Post.linking(to: \(target), by: items, each: tag)"
        ) { model in Question.candidates(model.posts.rows.filter { $0.items.contains { $0.tag == target } }) }
      },
    ],
    filters: [("likes > 1", { $0.likes > 1 }), ("tags.count == 2", { $0.tags.count == 2 })])

  private static var ownFields: [Field<Post>] {
    let status = Field<Post>.ordered("status", \.status, probes: { _ in Status.allCases }) { row, _ in
      row.status.canon
    }
    var hidden = Field<Post>.plain("isHidden", \.isHidden, probes: { random, _, _ in random.percent(50) }) {
      row, _ in
      row.isHidden.canon
    }
    hidden.sort = { $0.sorted(by: \.isHidden, $1) }
    hidden.distinct = { $0.distinct(by: \.isHidden) }
    let plain = hidden
    hidden.asked = [{ SectionsAsked.make($0, $0.query.sectioned(by: \.isHidden), plain) }]
    return [
      .id,
      .ordered("title", \.title, probes: texts) { row, _ in row.title.canon },
      .text("title", \.title) { row, _ in row.title },
      .ordered("likes", \.likes, probes: { $0.integers }) { row, _ in row.likes.canon },
      .ordered("date", \.date, probes: { $0.dates }) { row, _ in row.date.canon },
      .optional("rating", \.rating, probes: { $0.doubles }) { row, _ in row.rating.canon },
      status, hidden,
      .plain(
        "author", \.author,
        probes: { random, palette, model in
          random.percent(20) ? nil : link(&random, palette, model.users)
        }
      ) { row, _ in row.author.canon },
      .plain("team", \.team, probes: { random, palette, model in link(&random, palette, model.teams) }) {
        row, _ in
        row.team.canon
      },
      .ordered("tags.count", \.tags.count, probes: { _ in [0, 1, 2, 3] }) { row, _ in row.tags.count.canon }
        .unwatched,
      .ordered("items.count", \.items.count, probes: { _ in [0, 1, 2] }) { row, _ in row.items.count.canon }
        .unwatched,
      .ordered("related.count", \.related.count, probes: { _ in [0, 1, 2] }) { row, _ in
        row.related.count.canon
      }.unwatched,
      .optional("address.city", \.address.city, probes: texts) { row, _ in (row.address?.city).canon },
      .optional("address.height", \.address.height, probes: { $0.doubles }) { row, _ in
        (row.address?.height).canon
      },
    ]
  }

  private static var linkedFields: [Field<Post>] {
    [
      .optional("author.name", \.author.name, isLinked: true, probes: texts) { row, model in
        model.user(row.author)?.name.canon ?? .null
      }.through { row, _ in row.author.canon },
      .optional("author.score", \.author.score, isLinked: true, probes: { $0.doubles }) { row, model in
        model.user(row.author)?.score.canon ?? .null
      }.through { row, _ in row.author.canon },
      .optional("author.age", \.author.age, isLinked: true, probes: { $0.integers }) { row, model in
        model.user(row.author)?.age.canon ?? .null
      }.through { row, _ in row.author.canon },
      .optional("author.team.name", \.author.team.name, isLinked: true, probes: texts) { row, model in
        model.team(model.user(row.author)?.team)?.name.canon ?? .null
      },
      .optional("team.name", \.team.name, isLinked: true, probes: texts) { row, model in
        model.teams[row.team.id]?.name.canon ?? .null
      }.through { row, _ in row.team.canon },
      .optional("address.owner.name", \.address.owner.name, isLinked: true, probes: texts) { row, model in
        model.user(row.address?.owner)?.name.canon ?? .null
      },
      .tagsContain("a"), .tagsContain("é"), .tagsContain("aaaaaaaaé"),
      .condition("tags.isEmpty", isLinked: false, { $0.tags.isEmpty }) { row, _ in row.tags.isEmpty },
      .condition(
        "related.contains { isHidden }", isLinked: true, { $0.related.contains { $0.isHidden == true } }
      ) {
        row, model in row.related.contains { model.posts[$0.id]?.isHidden == true }
      },
      .condition("tags.allSatisfy { weight >= 1 }", isLinked: true, { $0.tags.allSatisfy { $0.weight >= 1 } })
      {
        row, model in model.tags(row.tags).allSatisfy { $0.weight >= 1 }
      },
      .condition("roles.contains { score > 0 }", isLinked: true, { $0.roles.contains { $0.score > 0 } }) {
        row, model in row.roles.contains { (model.user($0.value)?.score ?? 0) > 0 }
      },
      .condition(
        "linking(\\Comment.post).count > 1", isLinked: true, { $0.linking(\Comment.post).count > 1 },
        named: { row, model in .int(model.comments.rows.filter { $0.post.id == row.id }.count) }
      ) { row, model in model.comments.rows.filter { $0.post.id == row.id }.count > 1
      },
      .condition(
        "tags.where { weight > 0 }.count >= 1", isLinked: true,
        { $0.tags.where { $0.weight > 0 }.count >= 1 },
        named: { row, model in .int(model.tags(row.tags).filter { $0.weight > 0 }.count) }
      ) { row, model in model.tags(row.tags).filter { $0.weight > 0 }.count >= 1
      },
      Self.counted, Self.summed, Self.greatest, Self.tagNames,
    ]
  }

  private static var counted: Field<Post> {
    var field = Field<Post>(
      name: "linking(\\Comment.post).count", isLinked: true,
      value: { row, model in .int(model.comments.rows.filter { $0.post.id == row.id }.count) },
      track: { $0.tracking { $0.linking(\Comment.post).count } })
    field.sort = { $0.sorted($1) { $0.linking(\Comment.post).count } }
    return field
  }

  private static var summed: Field<Post> {
    var field = Field<Post>(
      name: "tags.objects.sum(weight)", isLinked: true,
      value: { row, model in Sums.doubles(model.tags(row.tags).map(\.weight)).canon },
      track: { $0.tracking { $0.tags.objects.sum(\.weight) } })
    field.sort = { $0.sorted($1) { $0.tags.objects.sum(\.weight) } }
    return field
  }

  private static var greatest: Field<Post> {
    var field = Field<Post>(
      name: "tags.objects.max(name)", isLinked: true,
      value: { row, model in
        model.tags(row.tags).map(\.name.canon).max { Canon.order($0, $1) < 0 } ?? .null
      },
      track: { $0.tracking { $0.tags.objects.max(\.name) } })
    field.sort = { $0.sorted($1) { $0.tags.objects.max(\.name) } }
    return field
  }

  private static var tagNames: Field<Post> {
    Field<Post>.plain(
      "tags.name", \.tags.name, isLinked: true,
      probes: { random, palette, _ in (0..<random.below(3)).map { _ in random.pick(palette.texts) } }
    ) { row, model in .list(model.tags(row.tags).map(\.name.canon)) }
  }

  private static let sums: [@Sendable (Question<Post>) -> any Asked] = [
    { question in
      ValueAsked.make(question.query.sum(\.likes), "\(question.text).sum(likes)") { model in
        .int(Sums.integers(question.rows(model).map(\.element.likes)))
      } canon: {
        $0.canon
      }
    },
    { question in
      ValueAsked.make(question.query.sum(\.rating), "\(question.text).sum(rating)") { model in
        Sums.doubles(question.rows(model).compactMap(\.element.rating)).canon
      } canon: {
        $0.canon
      }
    },
    { question in
      let field = Field<Post>.plain("author", \.author, probes: { _, _, _ in nil }) { row, _ in
        row.author.canon
      }
      return GroupsAsked.make(
        question, question.query.grouped(by: \.author).sum(\.likes), field, "sum(likes)", keysHaveOrder: false
      ) { rows in
        .int(Sums.integers(rows.map(\.0.likes)))
      } canon: {
        $0.canon
      }
    },
    { question in
      let field = Field<Post>.ordered("status", \.status, probes: { _ in [] }) { row, _ in row.status.canon }
      return GroupsAsked.make(
        question, question.query.grouped(by: \.status).max(\.rating), field, "max(rating)"
      ) {
        $0.compactMap { $0.0.rating?.canon }.max { Canon.order($0, $1) < 0 } ?? .null
      } canon: {
        $0.canon
      }
    },
  ]
}

extension Field<Post> {
  fileprivate static func tagsContain(_ name: String) -> Field<Post> {
    .condition(
      "tags.contains { name == \(name.canon) }", isLinked: true, { $0.tags.contains { $0.name == name } }
    ) { row, model in model.tags(row.tags).contains { $0.name == name } }
  }
}
