import LiveStore
import TestSupport

// What the random queries are made of: each value as an expression, and by plain Swift.

extension Article: Social {
  static var sample: Article? { Article(id: 0, title: "") }
  static var ownLinks: [String] { ["linking(Article."] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Article>] {
    let topic = random.pick(LinkedScript.topicNames)
    let text = random.pick(LinkedScript.texts)
    let name = random.pick(LinkedScript.names)
    let weight = random.int(0...3)
    return [
      .text("author.name", { $0.author.name }, { $1.writer($0.author)?.name }),
      .text("author.name", { $0.author.name }, { $1.writer($0.author)?.name }),
      .number("author.age", { $0.author.age }, { $1.writer($0.author)?.age }),
      .number("author.id", { $0.author.id }, { $1.writer($0.author)?.id }),
      .number(
        "author.follows.count", { $0.author.follows.count }, { $1.writer($0.author)?.follows.count }),
      .number(
        "topics.min(weight)", { $0.topics.objects.min(\.weight) },
        { $1.topics($0.topics).map(\.weight).min() }),
      .number(
        "topics.max(weight)", { $0.topics.objects.max(\.weight) },
        { $1.topics($0.topics).map(\.weight).max() }),
      .text(
        "topics.max(name)", { $0.topics.objects.max(\.name) },
        { $1.topics($0.topics).map(\.name).max(by: isBelow) }),
      .count(
        "topics.sum(weight)", { $0.topics.objects.sum(\.weight) },
        { $1.topics($0.topics).reduce(0) { $0 + $1.weight } }),
      .mean(
        "topics.average(weight)", { $0.topics.objects.average(\.weight) },
        { mean($1.topics($0.topics).map(\.weight)) }),
      .count(
        "topics.where { weight > \(weight) }.count", { $0.topics.where { $0.weight > weight }.count },
        { $1.topics($0.topics).filter { $0.weight > weight }.count }),
      .flag(
        "topics.where { name == \"\(topic)\" }.isEmpty", { $0.topics.where { $0.name == topic }.isEmpty },
        { !$1.topics($0.topics).contains { $0.name == topic } }),
      .flag(
        "topics.contains { name == \"\(topic)\" }", { $0.topics.contains { $0.name == topic } },
        { $1.topics($0.topics).contains { $0.name == topic } }),
      .flag(
        "topics.allSatisfy { weight > \(weight) }", { $0.topics.allSatisfy { $0.weight > weight } },
        { $1.topics($0.topics).allSatisfy { $0.weight > weight } }),
      .count(
        "linking(Reply.article).count", { $0.linking(\Reply.article).count },
        { $1.replies(to: $0).count }),
      .flag(
        "linking(Reply.article).contains { text == \"\(text)\" }",
        { $0.linking(\Reply.article).contains { $0.text == text } },
        { $1.replies(to: $0).contains { $0.text == text } }),
      .flag(
        "linking(Reply.article).contains { parent.text == \"\(text)\" }",
        { $0.linking(\Reply.article).contains { $0.parent.text == text } },
        { article, model in
          model.replies(to: article).contains { model.reply($0.parent)?.text == text }
        }),
      .flag(
        "linking(Reply.article).allSatisfy { linking(Reply.parent).isEmpty == true }",
        { $0.linking(\Reply.article).allSatisfy { $0.linking(\Reply.parent).isEmpty } },
        { article, model in model.replies(to: article).allSatisfy { model.children(of: $0).isEmpty } }),
      .flag(
        "author.follows.contains { name == \"\(name)\" }",
        { $0.author.follows.contains { $0.name == name } },
        { article, model in
          model.writers(model.writer(article.author)?.follows ?? []).contains { $0.name == name }
        }),
      .count(
        "author.linking(Article.author).count", { $0.author.linking(\Article.author).count },
        { $1.articles(by: $1.writer($0.author)).count }),
      .count(
        "topics.linking(Article.topics).sum(likes)", { $0.topics.linking(\Article.topics).sum(\.likes) },
        { article, model in
          model.topics(article.topics).flatMap { model.articles(about: $0) }.reduce(0) { $0 + $1.likes }
        }),
      .count("likes", { $0.likes }, { article, _ in article.likes }).own,
      .count("topics.count", { $0.topics.count }, { article, _ in article.topics.count }).own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Article>] {
    let (writer, topic) = (Ref<Writer>(random.int(1...6)), Ref<Topic>(random.int(1...5)))
    let text = random.pick(LinkedScript.texts)
    return [
      ConditionCase(
        "author == \(writer)", { $0.author == writer }, { article, _ in article.author == writer }),
      ConditionCase("author == nil", { $0.author == nil }, { article, _ in article.author == nil }),
      ConditionCase(
        "topics.contains(\(topic))", { $0.topics.contains(topic) },
        { article, _ in article.topics.contains(topic) }),
      ConditionCase("title == \(text)", { $0.title == text }, { article, _ in article.title == text }),
      ConditionCase(
        "author.name > title", { $0.author.name > "b" && $0.title == text },
        { article, model in
          (model.writer(article.author).map { isBelow("b", $0.name) } ?? false) && article.title == text
        },
        named: { [NamedValue("author.name", $1.writer($0.author)?.name)] }),
    ]
  }

  static var paths: [PathCase<Article>] {
    [
      PathCase(path: \.author.name) { NamedValue("author.name", $1.writer($0.author)?.name) },
      PathCase(path: \.author.age) { NamedValue("author.age", $1.writer($0.author)?.age) },
      PathCase(path: \.topics.name) { NamedValue("topics.name", $1.topics($0.topics).map(\.name)) },
      PathCase(path: \.topics.weight) { NamedValue("topics.weight", $1.topics($0.topics).map(\.weight)) },
    ]
  }

  static var observed: ObservedPaths<Article> {
    ObservedPaths(
      paths: [\.title, \.author.name],
      values: {
        ["\($0.title)", "\($0.author.map { "\($0.id)" } ?? "nil")", $1.writer($0.author)?.name ?? "nil"]
      },
      linked: { [NamedValue("author.name", $1.writer($0.author)?.name)] }, names: ["title", "author"])
  }

  func differences(from other: Article) -> [String] {
    (title == other.title ? [] : ["title"]) + (likes == other.likes ? [] : ["likes"])
      + (author == other.author ? [] : ["author"]) + (topics == other.topics ? [] : ["topics"])
  }
}

private func mean(_ numbers: [Int]) -> Double? {
  numbers.isEmpty ? nil : Double(numbers.reduce(0, +)) / Double(numbers.count)
}

extension Writer: Social {
  static var sample: Writer? { Writer(id: 0, name: "") }
  static var ownLinks: [String] { ["follows", "linking(Writer."] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Writer>] {
    let (name, text) = (random.pick(LinkedScript.names), random.pick(LinkedScript.texts))
    let (topic, likes) = (random.pick(LinkedScript.topicNames), random.int(0...3))
    return [
      .count(
        "linking(Article.author).count", { $0.linking(\Article.author).count }, { $1.articles(by: $0).count }),
      .count(
        "linking(Article.author).sum(likes)", { $0.linking(\Article.author).sum(\.likes) },
        { $1.articles(by: $0).reduce(0) { $0 + $1.likes } }),
      .text(
        "linking(Article.author).max(title)", { $0.linking(\Article.author).max(\.title) },
        { $1.articles(by: $0).map(\.title).max(by: isBelow) }),
      .mean(
        "linking(Article.author).average(likes)", { $0.linking(\Article.author).average(\.likes) },
        { mean($1.articles(by: $0).map(\.likes)) }),
      .count(
        "linking(Article.author).where { likes > \(likes) }.count",
        { $0.linking(\Article.author).where { $0.likes > likes }.count },
        { $1.articles(by: $0).filter { $0.likes > likes }.count }),
      .count(
        "linking(Writer.follows).count", { $0.linking(\Writer.follows).count }, { $1.followers(of: $0).count }
      ),
      .number(
        "linking(Writer.follows).min(age)", { $0.linking(\Writer.follows).min(\.age) },
        { $1.followers(of: $0).compactMap(\.age).min() }),
      .count(
        "follows.linking(Article.author).count", { $0.follows.linking(\Article.author).count },
        { writer, model in model.writers(writer.follows).reduce(0) { $0 + model.articles(by: $1).count } }),
      .flag(
        "follows.contains { name == \"\(name)\" }", { $0.follows.contains { $0.name == name } },
        { $1.writers($0.follows).contains { $0.name == name } }),
      .flag(
        "follows.contains { follows.contains { name == \"\(name)\" } }",
        { $0.follows.contains { $0.follows.contains { $0.name == name } } },
        { writer, model in
          model.writers(writer.follows).contains { model.writers($0.follows).contains { $0.name == name } }
        }),
      .flag(
        "follows.allSatisfy { linking(Article.author).count > 1 }",
        { $0.follows.allSatisfy { $0.linking(\Article.author).count > 1 } },
        { writer, model in model.writers(writer.follows).allSatisfy { model.articles(by: $0).count > 1 } }),
      .flag(
        "linking(Article.author).contains { linking(Reply.article).contains { text == \"\(text)\" } }",
        { $0.linking(\Article.author).contains { $0.linking(\Reply.article).contains { $0.text == text } } },
        { writer, model in
          model.articles(by: writer).contains { model.replies(to: $0).contains { $0.text == text } }
        }),
      .flag(
        "linking(Article.author).contains { topics.contains { name == \"\(topic)\" } }",
        { $0.linking(\Article.author).contains { $0.topics.contains { $0.name == topic } } },
        { writer, model in
          model.articles(by: writer).contains { model.topics($0.topics).contains { $0.name == topic } }
        }),
      .number("age", { $0.age }, { writer, _ in writer.age }).own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Writer>] {
    let (name, other) = (random.pick(LinkedScript.names), Ref<Writer>(random.int(1...6)))
    return [
      ConditionCase("name == \(name)", { $0.name == name }, { writer, _ in writer.name == name }),
      ConditionCase(
        "follows.contains(\(other))", { $0.follows.contains(other) },
        { writer, _ in writer.follows.contains(other) }),
    ]
  }

  static var paths: [PathCase<Writer>] { [] }

  static var observed: ObservedPaths<Writer> {
    ObservedPaths(
      paths: [\.age], values: { writer, _ in ["\(writer.age ?? -1)"] }, linked: { _, _ in [] }, names: ["age"]
    )
  }

  func differences(from other: Writer) -> [String] {
    (name == other.name ? [] : ["name"]) + (age == other.age ? [] : ["age"])
      + (follows == other.follows ? [] : ["follows"])
  }
}

extension Reply: Social {
  static var sample: Reply? { Reply(id: 0, article: 0) }
  static var ownLinks: [String] { ["parent", "linking(Reply."] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Reply>] {
    let (topic, text) = (random.pick(LinkedScript.topicNames), random.pick(LinkedScript.texts))
    return [
      .text("article.title", { $0.article.title }, { $1.article($0.article)?.title }),
      .text(
        "article.author.name", { $0.article.author.name },
        { $1.writer($1.article($0.article)?.author)?.name }),
      .number(
        "article.author.age", { $0.article.author.age }, { $1.writer($1.article($0.article)?.author)?.age }),
      .number("article.likes", { $0.article.likes }, { $1.article($0.article)?.likes }),
      .text("parent.text", { $0.parent.text }, { $1.reply($0.parent)?.text }),
      .text(
        "parent.parent.article.author.name", { $0.parent.parent.article.author.name },
        { reply, model in
          let grand = model.reply(model.reply(reply.parent)?.parent)
          return model.writer(model.article(grand?.article)?.author)?.name
        }),
      .text(
        "parent.article.title", { $0.parent.article.title },
        { $1.article($1.reply($0.parent)?.article)?.title }),
      .count(
        "linking(Reply.parent).count", { $0.linking(\Reply.parent).count }, { $1.children(of: $0).count }),
      .count(
        "linking(Reply.parent).sum(article.likes)", { $0.linking(\Reply.parent).sum(\.article.likes) },
        { reply, model in
          model.children(of: reply).reduce(0) { $0 + (model.article($1.article)?.likes ?? 0) }
        }),
      .flag(
        "article.topics.contains { name == \"\(topic)\" }",
        { $0.article.topics.contains { $0.name == topic } },
        { reply, model in
          model.topics(model.article(reply.article)?.topics ?? []).contains { $0.name == topic }
        }),
      .flag(
        "article.linking(Reply.article).contains { text == \"\(text)\" }",
        { $0.article.linking(\Reply.article).contains { $0.text == text } },
        { reply, model in model.replies(to: model.article(reply.article)).contains { $0.text == text } }),
      .flag(
        "linking(Reply.parent).contains { linking(Reply.parent).contains { text == \"\(text)\" } }",
        { $0.linking(\Reply.parent).contains { $0.linking(\Reply.parent).contains { $0.text == text } } },
        { reply, model in
          model.children(of: reply).contains { model.children(of: $0).contains { $0.text == text } }
        }),
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Reply>] {
    let (writer, text) = (Ref<Writer>(random.int(1...6)), random.pick(LinkedScript.texts))
    func author(_ reply: Reply, _ model: ModelStore) -> Ref<Writer>? { model.article(reply.article)?.author }
    func likes(_ reply: Reply?, _ model: ModelStore) -> Int? { model.article(reply?.article)?.likes }
    return [
      ConditionCase(
        "article.author == \(writer)", { $0.article.author == writer }, { author($0, $1) == writer },
        named: { [NamedValue("article.author", author($0, $1))] }),
      ConditionCase(
        "article.author == nil", { $0.article.author == nil }, { author($0, $1) == nil },
        named: { [NamedValue("article.author", author($0, $1))] }),
      ConditionCase("parent == nil", { $0.parent == nil }, { reply, _ in reply.parent == nil }),
      ConditionCase("text == \(text)", { $0.text == text }, { reply, _ in reply.text == text }),
      ConditionCase(
        "article.likes == parent.article.likes", { $0.article.likes == $0.parent.article.likes },
        { likes($0, $1) == likes($1.reply($0.parent), $1) },
        named: {
          [
            NamedValue("article.likes", likes($0, $1)),
            NamedValue("parent.article.likes", likes($1.reply($0.parent), $1)),
          ]
        }),
    ]
  }

  static var paths: [PathCase<Reply>] {
    [
      PathCase(path: \.article.author.name) {
        NamedValue("article.author.name", $1.writer($1.article($0.article)?.author)?.name)
      },
      PathCase(path: \.parent.text) { NamedValue("parent.text", $1.reply($0.parent)?.text) },
      PathCase(path: \.article.author) { NamedValue("article.author", $1.article($0.article)?.author) },
    ]
  }

  static var observed: ObservedPaths<Reply> {
    ObservedPaths(
      paths: [\.text, \.article.author.name],
      values: { [$0.text, "\($0.article.id)", $1.writer($1.article($0.article)?.author)?.name ?? "nil"] },
      linked: { [NamedValue("article.author.name", $1.writer($1.article($0.article)?.author)?.name)] },
      names: ["text", "article"])
  }

  func differences(from other: Reply) -> [String] {
    (text == other.text ? [] : ["text"]) + (article == other.article ? [] : ["article"])
      + (parent == other.parent ? [] : ["parent"])
  }
}

extension Topic: Social {
  static var sample: Topic? { Topic(id: 0, name: "") }
  static var ownLinks: [String] { [] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Topic>] {
    let name = random.pick(LinkedScript.names)
    return [
      .count(
        "linking(Article.topics).count", { $0.linking(\Article.topics).count },
        { $1.articles(about: $0).count }),
      .text(
        "linking(Article.topics).min(author.name)", { $0.linking(\Article.topics).min(\.author.name) },
        { topic, model in
          model.articles(about: topic).compactMap { model.writer($0.author)?.name }.min(by: isBelow)
        }),
      .flag(
        "linking(Article.topics).contains { author.name == \"\(name)\" }",
        { $0.linking(\Article.topics).contains { $0.author.name == name } },
        { topic, model in model.articles(about: topic).contains { model.writer($0.author)?.name == name } }),
      .flag(
        "linking(Article.topics).allSatisfy { author.age > 15 }",
        { $0.linking(\Article.topics).allSatisfy { $0.author.age > 15 } },
        { topic, model in
          model.articles(about: topic).allSatisfy { model.writer($0.author)?.age.map { $0 > 15 } ?? false }
        }),
      .count("weight", { $0.weight }, { topic, _ in topic.weight }).own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Topic>] {
    let weight = random.int(0...3)
    return [
      ConditionCase("weight > \(weight)", { $0.weight > weight }, { topic, _ in topic.weight > weight })
    ]
  }

  static var paths: [PathCase<Topic>] { [] }

  static var observed: ObservedPaths<Topic> {
    ObservedPaths(
      paths: [\.weight], values: { topic, _ in ["\(topic.weight)"] }, linked: { _, _ in [] },
      names: ["weight"])
  }

  func differences(from other: Topic) -> [String] {
    (name == other.name ? [] : ["name"]) + (weight == other.weight ? [] : ["weight"])
  }
}

extension Meeting: Social {
  static var sample: Meeting? { Meeting(id: 0) }
  static var ownLinks: [String] { [] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Meeting>] {
    let name = random.pick(LinkedScript.names)
    return [
      .text("venue.host.name", { $0.venue.host.name }, { $1.writer($0.venue?.host)?.name }),
      .number("venue.host.age", { $0.venue.host.age }, { $1.writer($0.venue?.host)?.age }),
      .count(
        "venue.host.linking(Article.author).count", { $0.venue.host.linking(\Article.author).count },
        { $1.articles(by: $1.writer($0.venue?.host)).count }),
      .flag(
        "venue.guests.contains { name == \"\(name)\" }", { $0.venue.guests.contains { $0.name == name } },
        { $1.writers($0.venue?.guests ?? []).contains { $0.name == name } }),
      .flag(
        "board.contains { name == \"\(name)\" }", { $0.board.contains { $0.name == name } },
        { $1.writers($0.board.values).contains { $0.name == name } }),
      .text("venue.city", { $0.venue.city }, { meeting, _ in meeting.venue?.city }).own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Meeting>] {
    let writer = Ref<Writer>(random.int(1...6))
    return [
      ConditionCase(
        "venue.host == \(writer)", { $0.venue.host == writer },
        { meeting, _ in meeting.venue?.host == writer }),
      ConditionCase("venue == nil", { $0.venue == nil }, { meeting, _ in meeting.venue == nil }),
    ]
  }

  static var paths: [PathCase<Meeting>] {
    [PathCase(path: \.venue.host.name) { NamedValue("venue.host.name", $1.writer($0.venue?.host)?.name) }]
  }

  static var observed: ObservedPaths<Meeting> {
    ObservedPaths(
      paths: [\.name, \.venue.host.name],
      values: {
        [$0.name, "\($0.venue?.host.map { "\($0.id)" } ?? "nil")", $1.writer($0.venue?.host)?.name ?? "nil"]
      },
      linked: { [NamedValue("venue.host.name", $1.writer($0.venue?.host)?.name)] }, names: ["name", "venue"])
  }

  func differences(from other: Meeting) -> [String] {
    (name == other.name ? [] : ["name"]) + (venue == other.venue ? [] : ["venue"])
      + (board == other.board ? [] : ["board"])
  }
}
