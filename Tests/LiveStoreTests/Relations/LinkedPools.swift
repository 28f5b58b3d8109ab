import LiveStore
import TestSupport

// What the random queries are made of: each value as an expression, and as it is printed.

extension Article: Social {
  static var sample: Article? { Article(id: 0, title: "") }
  static var ownLinks: [String] { ["linking(Article."] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Article>] {
    let topic = random.pick(LinkedScript.topicNames)
    let text = random.pick(LinkedScript.texts)
    let name = random.pick(LinkedScript.names)
    let weight = random.int(0...3)
    return [
      .text("author.name") { $0.author.name },
      .text("author.name") { $0.author.name },
      .number("author.age") { $0.author.age },
      .number("author.id") { $0.author.id },
      .number("author.follows.count") { $0.author.follows.count },
      .count("author.follows.objects.count") { $0.author.follows.objects.count },
      .number("topics.min(weight)") { $0.topics.objects.min(\.weight) },
      .number("topics.max(weight)") { $0.topics.objects.max(\.weight) },
      .text("topics.max(name)") { $0.topics.objects.max(\.name) },
      .count("topics.sum(weight)") { $0.topics.objects.sum(\.weight) },
      .mean("topics.average(weight)") { $0.topics.objects.average(\.weight) },
      .count("topics.where { weight > \(weight) }.count") { $0.topics.where { $0.weight > weight }.count },
      .flag("topics.where { name == \"\(topic)\" }.isEmpty") { $0.topics.where { $0.name == topic }.isEmpty },
      .flag("topics.contains { name == \"\(topic)\" }") { $0.topics.contains { $0.name == topic } },
      .flag("topics.allSatisfy { weight > \(weight) }") { $0.topics.allSatisfy { $0.weight > weight } },
      .count("linking(Reply.article).count") { $0.linking(\Reply.article).count },
      .flag("linking(Reply.article).contains { text == \"\(text)\" }") {
        $0.linking(\Reply.article).contains { $0.text == text }
      },
      .flag("linking(Reply.article).contains { parent.text == \"\(text)\" }") {
        $0.linking(\Reply.article).contains { $0.parent.text == text }
      },
      .flag("linking(Reply.article).allSatisfy { linking(Reply.parent).isEmpty == true }") {
        $0.linking(\Reply.article).allSatisfy { $0.linking(\Reply.parent).isEmpty }
      },
      .flag("author.follows.contains { name == \"\(name)\" }") {
        $0.author.follows.contains { $0.name == name }
      },
      .count("author.linking(Article.author).count") { $0.author.linking(\Article.author).count },
      .count("topics.linking(Article.topics).sum(likes)") { $0.topics.linking(\Article.topics).sum(\.likes) },
      .count("likes") { $0.likes }.own,
      .count("topics.count") { $0.topics.count }.own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Article>] {
    let (writer, topic) = (Ref<Writer>(random.int(1...6)), Ref<Topic>(random.int(1...5)))
    let text = random.pick(LinkedScript.texts)
    return [
      ConditionCase("author == \(writer)") { $0.author == writer },
      ConditionCase("author == nil") { $0.author == nil },
      ConditionCase("topics.contains(\(topic))") { $0.topics.contains(topic) },
      ConditionCase("title == \(text)") { $0.title == text },
      ConditionCase("author.name > title", named: [NamedTerm("author.name") { $0.author.name }]) {
        $0.author.name > "b" && $0.title == text
      },
    ]
  }

  static var paths: [PathCase<Article>] {
    [
      PathCase("author.name", \.author.name),
      PathCase("author.age", \.author.age),
      PathCase("topics.name", \.topics.name),
      PathCase("topics.weight", \.topics.weight),
    ]
  }

  static var observed: ObservedPaths<Article> {
    ObservedPaths(
      paths: [\.title, \.author.name],
      own: [NamedTerm("title") { $0.title }, NamedTerm("author") { $0.author }],
      linked: [NamedTerm("author.name") { $0.author.name }], names: ["title", "author"])
  }

  func differences(from other: Article) -> [String] {
    (title == other.title ? [] : ["title"]) + (likes == other.likes ? [] : ["likes"])
      + (author == other.author ? [] : ["author"]) + (topics == other.topics ? [] : ["topics"])
  }
}

extension Writer: Social {
  static var sample: Writer? { Writer(id: 0, name: "") }
  static var ownLinks: [String] { ["follows", "linking(Writer."] }

  static func operands(_ random: inout SplitMix64) -> [OperandCase<Writer>] {
    let (name, text) = (random.pick(LinkedScript.names), random.pick(LinkedScript.texts))
    let (topic, likes) = (random.pick(LinkedScript.topicNames), random.int(0...3))
    return [
      .count("linking(Article.author).count") { $0.linking(\Article.author).count },
      .count("linking(Article.author).sum(likes)") { $0.linking(\Article.author).sum(\.likes) },
      .text("linking(Article.author).max(title)") { $0.linking(\Article.author).max(\.title) },
      .mean("linking(Article.author).average(likes)") { $0.linking(\Article.author).average(\.likes) },
      .count("linking(Article.author).where { likes > \(likes) }.count") {
        $0.linking(\Article.author).where { $0.likes > likes }.count
      },
      .count("linking(Writer.follows).count") { $0.linking(\Writer.follows).count },
      .number("linking(Writer.follows).min(age)") { $0.linking(\Writer.follows).min(\.age) },
      .count("follows.linking(Article.author).count") { $0.follows.linking(\Article.author).count },
      .flag("follows.contains { name == \"\(name)\" }") { $0.follows.contains { $0.name == name } },
      .flag("follows.contains { follows.contains { name == \"\(name)\" } }") {
        $0.follows.contains { $0.follows.contains { $0.name == name } }
      },
      .flag("follows.allSatisfy { linking(Article.author).count > 1 }") {
        $0.follows.allSatisfy { $0.linking(\Article.author).count > 1 }
      },
      .flag("linking(Article.author).contains { linking(Reply.article).contains { text == \"\(text)\" } }") {
        $0.linking(\Article.author).contains { $0.linking(\Reply.article).contains { $0.text == text } }
      },
      .flag("linking(Article.author).contains { topics.contains { name == \"\(topic)\" } }") {
        $0.linking(\Article.author).contains { $0.topics.contains { $0.name == topic } }
      },
      .number("age") { $0.age }.own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Writer>] {
    let (name, other) = (random.pick(LinkedScript.names), Ref<Writer>(random.int(1...6)))
    return [
      ConditionCase("name == \(name)") { $0.name == name },
      ConditionCase("follows.contains(\(other))") { $0.follows.contains(other) },
    ]
  }

  static var paths: [PathCase<Writer>] { [] }

  static var observed: ObservedPaths<Writer> {
    ObservedPaths(
      paths: [\.age], own: [NamedTerm("age") { $0.age }], linked: [], names: ["age"]
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
      .text("article.title") { $0.article.title },
      .text("article.author.name") { $0.article.author.name },
      .number("article.author.age") { $0.article.author.age },
      .number("article.likes") { $0.article.likes },
      .text("parent.text") { $0.parent.text },
      .text("parent.parent.article.author.name") { $0.parent.parent.article.author.name },
      .text("parent.article.title") { $0.parent.article.title },
      .count("linking(Reply.parent).count") { $0.linking(\Reply.parent).count },
      .count("linking(Reply.parent).sum(article.likes)") { $0.linking(\Reply.parent).sum(\.article.likes) },
      .flag("article.topics.contains { name == \"\(topic)\" }") {
        $0.article.topics.contains { $0.name == topic }
      },
      .flag("article.linking(Reply.article).contains { text == \"\(text)\" }") {
        $0.article.linking(\Reply.article).contains { $0.text == text }
      },
      .flag("linking(Reply.parent).contains { linking(Reply.parent).contains { text == \"\(text)\" } }") {
        $0.linking(\Reply.parent).contains { $0.linking(\Reply.parent).contains { $0.text == text } }
      },
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Reply>] {
    let (writer, text) = (Ref<Writer>(random.int(1...6)), random.pick(LinkedScript.texts))
    return [
      ConditionCase("article.author == \(writer)", named: [NamedTerm("article.author") { $0.article.author }])
      { $0.article.author == writer },
      ConditionCase("article.author == nil", named: [NamedTerm("article.author") { $0.article.author }]) {
        $0.article.author == nil
      },
      ConditionCase("parent == nil") { $0.parent == nil },
      ConditionCase("text == \(text)") { $0.text == text },
      ConditionCase(
        "article.likes == parent.article.likes",
        named: [
          NamedTerm("article.likes") { $0.article.likes },
          NamedTerm("parent.article.likes") { $0.parent.article.likes },
        ]
      ) { $0.article.likes == $0.parent.article.likes },
    ]
  }

  static var paths: [PathCase<Reply>] {
    [
      PathCase("article.author.name", \.article.author.name),
      PathCase("parent.text", \.parent.text),
      PathCase("article.author", \.article.author),
    ]
  }

  static var observed: ObservedPaths<Reply> {
    ObservedPaths(
      paths: [\.text, \.article.author.name],
      own: [NamedTerm("text") { $0.text }, NamedTerm("article") { $0.article }],
      linked: [NamedTerm("article.author.name") { $0.article.author.name }], names: ["text", "article"])
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
      .count("linking(Article.topics).count") { $0.linking(\Article.topics).count },
      .text("linking(Article.topics).min(author.name)") { $0.linking(\Article.topics).min(\.author.name) },
      .flag("linking(Article.topics).contains { author.name == \"\(name)\" }") {
        $0.linking(\Article.topics).contains { $0.author.name == name }
      },
      .flag("linking(Article.topics).allSatisfy { author.age > 15 }") {
        $0.linking(\Article.topics).allSatisfy { $0.author.age > 15 }
      },
      .count("weight") { $0.weight }.own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Topic>] {
    let weight = random.int(0...3)
    return [
      ConditionCase("weight > \(weight)") { $0.weight > weight }
    ]
  }

  static var paths: [PathCase<Topic>] { [] }

  static var observed: ObservedPaths<Topic> {
    ObservedPaths(
      paths: [\.weight], own: [NamedTerm("weight") { $0.weight }], linked: [], names: ["weight"])
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
      .text("venue.host.name") { $0.venue.host.name },
      .number("venue.host.age") { $0.venue.host.age },
      .count("venue.host.linking(Article.author).count") { $0.venue.host.linking(\Article.author).count },
      .flag("venue.guests.contains { name == \"\(name)\" }") { $0.venue.guests.contains { $0.name == name } },
      .flag("board.contains { name == \"\(name)\" }") { $0.board.contains { $0.name == name } },
      .text("venue.city") { $0.venue.city }.own,
    ]
  }

  static func conditions(_ random: inout SplitMix64) -> [ConditionCase<Meeting>] {
    let writer = Ref<Writer>(random.int(1...6))
    return [
      ConditionCase("venue.host == \(writer)") { $0.venue.host == writer },
      ConditionCase("venue == nil") { $0.venue == nil },
    ]
  }

  static var paths: [PathCase<Meeting>] {
    [PathCase("venue.host.name", \.venue.host.name)]
  }

  static var observed: ObservedPaths<Meeting> {
    ObservedPaths(
      paths: [\.name, \.venue.host.name],
      own: [NamedTerm("name") { $0.name }, NamedTerm("venue.host") { $0.venue.host }],
      linked: [NamedTerm("venue.host.name") { $0.venue.host.name }], names: ["name", "venue"])
  }

  func differences(from other: Meeting) -> [String] {
    (name == other.name ? [] : ["name"]) + (venue == other.venue ? [] : ["venue"])
      + (board == other.board ? [] : ["board"])
  }
}
