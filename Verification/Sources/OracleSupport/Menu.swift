import LiveStore

/// All that random queries over an entity are made of.
struct Menu<Element: ModelEntity>: Sendable {
  var fields: [Field<Element>]
  /// Sums, means and groups of its own.
  var asked: [@Sendable (Question<Element>) -> any Asked] = []
  /// Queries over something else than the whole table.
  var bases: [@Sendable (inout Randomness, Palette, Model) -> Question<Element>] = []
  /// Closures.
  var filters: [(text: String, test: @Sendable (Element) -> Bool)] = []
}

extension Menu {
  func condition(_ random: inout Randomness, _ palette: Palette, _ model: Model, depth: Int = 0) -> Condition<
    Element
  > {
    if depth < 3, random.percent(depth == 0 ? 40 : 30) {
      let left = condition(&random, palette, model, depth: depth + 1)
      if random.percent(25) {
        return Condition(
          text: "!(\(left.text))", make: { !left.make($0) }, test: { !left.test($0, $1) }, named: left.named)
      }
      let right = condition(&random, palette, model, depth: depth + 1)
      let named = left.named + right.named
      if random.percent(50) {
        return Condition(
          text: "(\(left.text) && \(right.text))", make: { left.make($0) && right.make($0) },
          test: { left.test($0, $1) && right.test($0, $1) }, named: named)
      }
      return Condition(
        text: "(\(left.text) || \(right.text))", make: { left.make($0) || right.make($0) },
        test: { left.test($0, $1) || right.test($0, $1) }, named: named)
    }
    while true {
      let field = random.pick(fields)
      if palette.isLarge, field.isCostly { continue }
      if let condition = field.condition?(&random, palette, model) { return condition }
    }
  }

  private func field(
    _ random: inout Randomness, _ palette: Palette, _ isFit: (Field<Element>) -> Bool
  ) -> Field<Element>? {
    random.pickAny(fields.filter { isFit($0) && !(palette.isLarge && $0.isCostly) })
  }

  func question(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> Question<Element> {
    var question = !bases.isEmpty && random.percent(20) ? random.pick(bases)(&random, palette, model) : .all
    for _ in 0..<random.pick([0, 1, 1, 2, 2, 3, 4]) {
      switch random.below(20) {
      case 0..<7: question.where(condition(&random, palette, model))
      case 7..<12:
        if let field = field(&random, palette, { $0.sort != nil }) {
          question.sort(field, isDescending: random.percent(40))
        }
      case 12..<14: question.limit(random.pick([-1, 0, 1, 2, 3, 5, 10]))
      case 14: question.offset(random.pick([-1, 0, 1, 2, 3]))
      case 15, 16:
        if let field = field(&random, palette, { $0.distinct != nil }) { question.distinct(field) }
      case 17:
        if let field = field(&random, palette, { $0.isLinked }) { question.track(field) }
      case 18:
        if let filter = random.pickAny(filters) { question.filter(filter.text, filter.test) }
      default:
        if let field = field(&random, palette, { $0.sort != nil }) {
          question.sort(field, isDescending: random.percent(40))
          question.limit(random.below(6))
        }
      }
    }
    return question
  }

  /// Anything that can be asked of the entity.
  func something(_ random: inout Randomness, _ palette: Palette, _ model: Model) -> any Asked {
    if random.percent(6) { return ValueAsked.object(Element.self, Element.randomID(&random, palette)) }
    let question = question(&random, palette, model)
    switch random.below(10) {
    case 0: return ValueAsked.count(question)
    case 1 where !question.isList:
      let makers = fields.flatMap(\.asked) + asked
      return makers.isEmpty ? question.asked : random.pick(makers)(question)
    case 2 where !question.isList:
      return asked.isEmpty ? question.asked : random.pick(asked)(question)
    case 3:
      let fields = fields.filter { $0.path != nil && !$0.watched.isEmpty }
      let properties = (0..<1 + random.below(3)).map { _ in random.pick(fields) }
      return question.asked(properties: properties)
    default: return question.asked
    }
  }
}
