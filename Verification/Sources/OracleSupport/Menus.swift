import Foundation
import LiveStore

private let texts: @Sendable (Palette) -> [String] = { $0.texts + ["team 1", "team 2"] }
private let integers: @Sendable (Palette) -> [Int] = { $0.integers }
private let doubles: @Sendable (Palette) -> [Double] = { $0.doubles }
private let counts: @Sendable (Palette) -> [Int] = { _ in [0, 1, 2, 3] }

extension Field {
  static var id: Field {
    Field.plain("id", \Row<Element>.id, probes: { random, palette, _ in Element.randomID(&random, palette) })
    {
      row, _ in row.id.canon
    }
  }
}

extension Model {
  func user(_ reference: Ref<User>?) -> User? { reference.flatMap { users[$0.id] } }
  func team(_ reference: Ref<Team>?) -> Team? { reference.flatMap { teams[$0.id] } }
  func post(_ reference: Ref<Post>?) -> Post? { reference.flatMap { posts[$0.id] } }
  func tags(_ list: RefList<Tag>) -> [Tag] { list.compactMap { tags[$0.id] } }
}

extension Team {
  static let menu = Menu<Team>(
    fields: [
      .id,
      .ordered("name", \.name, probes: texts) { row, _ in row.name.canon },
      .text("name", \.name) { row, _ in row.name },
      .ordered("rank", \.rank, probes: integers) { row, _ in row.rank.canon },
      .optional("city", \.city, probes: texts) { row, _ in row.city.canon },
      .ordered("samples.count", \.samples.count, probes: counts) { row, _ in row.samples.count.canon }
        .unwatched,
      .condition("linking(\\User.team).isEmpty", isLinked: true, { $0.linking(\User.team).isEmpty }) {
        row, model in
        !model.users.rows.contains { $0.team?.id == row.id }
      },
      .condition(
        "linking(\\Post.team).contains { likes >= 1 }", isLinked: true,
        { $0.linking(\Post.team).contains(where: { $0.likes >= 1 }) }
      ) { row, model in model.posts.rows.contains { $0.team.id == row.id && $0.likes >= 1 } },
    ],
    asked: [
      { question in
        ValueAsked.make(question.query.sum(\.rank), "\(question.text).sum(rank)") { model in
          .int(Sums.integers(question.rows(model).map(\.element.rank)))
        } canon: {
          $0.canon
        }
      }
    ],
    filters: [("rank % 2 == 0", { $0.rank % 2 == 0 })])
}

extension Tag {
  static let menu = Menu<Tag>(
    fields: [
      .id,
      .ordered("name", \.name, probes: texts) { row, _ in row.name.canon },
      .text("name", \.name) { row, _ in row.name },
      .ordered("weight", \.weight, probes: doubles) { row, _ in row.weight.canon },
      .plain("parent", \.parent, probes: { random, palette, model in link(&random, palette, model.tags) }) {
        row, _ in
        row.parent.canon
      },
      .optional("parent.name", \.parent.name, isLinked: true, probes: texts) { row, model in
        (row.parent.flatMap { model.tags[$0.id]?.name }).canon
      },
      .condition("linking(\\Post.tags).isEmpty", isLinked: true, { $0.linking(\Post.tags).isEmpty }) {
        row, model in
        !model.posts.rows.contains { $0.tags.contains(Ref(row.id)) }
      },
    ],
    asked: [
      { question in
        ValueAsked.make(question.query.sum(\.weight), "\(question.text).sum(weight)") { model in
          Sums.doubles(question.rows(model).map(\.element.weight)).canon
        } canon: {
          $0.canon
        }
      }
    ],
    bases: [
      { random, palette, model in
        let id = model.posts.any(&random)?.id ?? Post.randomID(&random, palette)
        var question = Question(
          Tag.linked(from: \Post.tags, of: id), "Tag.linked(from: \\Post.tags, of: \(id))", isList: true
        ) {
          model in
          guard let post = model.posts[id], let entries = model.lists[id.canon] else { return [] }
          return zip(post.tags, entries.tokens).enumerated().compactMap { place, entry in
            model.tags[entry.0.id].map { Candidate(element: $0, identity: .int(entry.1), place: place) }
          }
        }
        question.mark = { .int($0.lists[id.canon]?.generation ?? 0) }
        return question
      }
    ],
    filters: [("weight > 1", { $0.weight > 1 })])
}

extension User {
  static let menu = Menu<User>(
    fields: [
      .id,
      .ordered("name", \.name, probes: texts) { row, _ in row.name.canon },
      .text("name", \.name) { row, _ in row.name },
      .ordered("score", \.score, probes: doubles) { row, _ in row.score.canon },
      .optional("age", \.age, probes: integers) { row, _ in row.age.canon },
      .ordered("ratio", \.ratio, probes: { $0.floats }) { row, _ in row.ratio.canon },
      .ordered("quota", \.quota, probes: { $0.quotas }) { row, _ in row.quota.canon },
      .optional("balance", \.balance, probes: { $0.decimals }) { row, _ in row.balance.canon },
      .pair("ratio", "score", \.ratio, \.score, { $0.exactRatio }, { $0.exactScore }),
      .pair("ratio", "quota", \.ratio, \.quota, { $0.exactRatio }, { $0.exactQuota }),
      .pair("age", "ratio", \.age, \.ratio, { $0.exactAge }, { $0.exactRatio }),
      .pair("quota", "balance", \.quota, \.balance, { $0.exactQuota }, { $0.exactBalance }),
      .pair("score", "balance", \.score, \.balance, { $0.exactScore }, { $0.exactBalance }),
      .pair("age", "quota", \.age, \.quota, { $0.exactAge }, { $0.exactQuota }),
      .optional("handle", \.handle, probes: { $0.texts + ["handle a"] }) { row, _ in row.handle.canon },
      .plain(
        "team", \.team,
        probes: { random, palette, model in
          random.percent(20) ? nil : link(&random, palette, model.teams)
        }
      ) { row, _ in row.team.canon },
      .plain(
        "boss", \.boss,
        probes: { random, palette, model in
          random.percent(20) ? nil : link(&random, palette, model.users)
        }
      ) { row, _ in row.boss.canon },
      .optional("team.name", \.team.name, isLinked: true, probes: texts) { row, model in
        model.team(row.team)?.name.canon ?? .null
      },
      .optional("team.city", \.team.city, isLinked: true, probes: texts) { row, model in
        model.team(row.team)?.city.canon ?? .null
      },
      .optional("boss.team.rank", \.boss.team.rank, isLinked: true, probes: integers) { row, model in
        model.team(model.user(row.boss)?.team)?.rank.canon ?? .null
      },
      .condition(
        "linking(\\Post.author).count >= 2", isLinked: true, { $0.linking(\Post.author).count >= 2 },
        named: { row, model in .int(model.posts.rows.filter { $0.author?.id == row.id }.count) }
      ) { row, model in model.posts.rows.filter { $0.author?.id == row.id }.count >= 2
      },
      .condition("linking(\\Post.roles).isEmpty", isLinked: true, { $0.linking(\Post.roles).isEmpty }) {
        row, model in
        !model.posts.rows.contains { $0.roles.values.contains(Ref(row.id)) }
      },
      .condition(
        "linking(\\User.boss).allSatisfy { score > 0 }", isLinked: true,
        { $0.linking(\User.boss).allSatisfy { $0.score > 0 } }
      ) { row, model in model.users.rows.filter { $0.boss?.id == row.id }.allSatisfy { $0.score > 0 } },
    ],
    asked: [
      { question in
        ValueAsked.make(question.query.sum(\.score), "\(question.text).sum(score)") { model in
          Sums.doubles(question.rows(model).map(\.element.score)).canon
        } canon: {
          $0.canon
        }
      },
      { question in
        ValueAsked.make(question.query.sum(\.age), "\(question.text).sum(age)") { model in
          .int(Sums.integers(question.rows(model).compactMap(\.element.age)))
        } canon: {
          $0.canon
        }
      },
      { question in
        let field = Field<User>.plain("team", \.team, probes: { _, _, _ in nil }) { row, _ in row.team.canon }
        return GroupsAsked.make(
          question, question.query.grouped(by: \.team).sum(\.score), field, "sum(score)", keysHaveOrder: false
        ) { rows in
          Sums.doubles(rows.map(\.0.score)).canon
        } canon: {
          $0.canon
        }
      },
    ],
    bases: [
      { random, palette, model in
        let id = model.posts.any(&random)?.id ?? Post.randomID(&random, palette)
        return Question(User.linked(from: \Post.roles, of: id), "User.linked(from: \\Post.roles, of: \(id))")
        { model in
          let ids = Set(model.posts[id]?.roles.map(\.value.canon) ?? [])
          return Question.candidates(model.users.rows.filter { ids.contains($0.id.canon) })
        }
      },
      { random, palette, model in
        let target: Ref<Team> = link(&random, palette, model.teams)
        return Question(User.linking(to: target, by: \.team), "User.linking(to: \(target), by: team)") {
          model in
          Question.candidates(model.users.rows.filter { $0.team == target })
        }
      },
    ],
    filters: [("name.count < 3", { $0.name.unicodeScalars.count < 3 })])
}

extension User {
  fileprivate var exactScore: ExactNumber? { ExactNumber(floating: score) }
  fileprivate var exactRatio: ExactNumber? { ExactNumber(floating: ratio) }
  fileprivate var exactQuota: ExactNumber? { ExactNumber(quota) }
  fileprivate var exactAge: ExactNumber? { age.map { ExactNumber($0) } }
  fileprivate var exactBalance: ExactNumber? { balance.map { ExactNumber($0) } }
}

extension Comment {
  static let menu = Menu<Comment>(
    fields: [
      .id,
      .ordered("text", \.text, probes: texts) { row, _ in row.text.canon },
      .text("text", \.text) { row, _ in row.text },
      .optional("votes", \.votes, probes: integers) { row, _ in row.votes.canon },
      .plain("post", \.post, probes: { random, palette, model in link(&random, palette, model.posts) }) {
        row, _ in
        row.post.canon
      },
      .optional("post.title", \.post.title, isLinked: true, probes: texts) { row, model in
        model.posts[row.post.id]?.title.canon ?? .null
      },
      .optional("post.author.name", \.post.author.name, isLinked: true, probes: texts) { row, model in
        model.user(model.posts[row.post.id]?.author)?.name.canon ?? .null
      },
      .optional("reply.votes", \.reply.votes, isLinked: true, probes: integers) { row, model in
        row.reply.flatMap { model.comments[$0.id]?.votes }.canon
      },
      .condition("linking(\\Comment.reply).isEmpty", isLinked: true, { $0.linking(\Comment.reply).isEmpty }) {
        row, model in !model.comments.rows.contains { $0.reply?.id == row.id }
      },
    ],
    asked: [
      { question in
        ValueAsked.make(question.query.sum(\.votes), "\(question.text).sum(votes)") { model in
          .int(Sums.integers(question.rows(model).compactMap(\.element.votes)))
        } canon: {
          $0.canon
        }
      }
    ],
    bases: [
      { random, palette, model in
        let target: Ref<Post> = link(&random, palette, model.posts)
        return Question(Comment.linking(to: target, by: \.post), "Comment.linking(to: \(target), by: post)") {
          model in
          Question.candidates(model.comments.rows.filter { $0.post == target })
        }
      }
    ],
    filters: [("text.isEmpty", { $0.text.isEmpty })])
}
