/// What one piece of work costs, by each contestant, measured in one run.
struct Figure: Codable, Sendable {
  enum Unit: String, Codable { case nanoseconds, bytes }

  struct Entry: Codable {
    let name: String
    let cost: Spread
  }

  /// The first contestant's cost as a multiple of a peer's, taken in each round.
  struct Ratio: Codable {
    let peer: String
    let value: Spread
  }

  struct Bound: Codable {
    let wanted: Wanted
    let value: Double
    let holds: Bool
  }

  let scene: String
  let work: String
  let rows: Int
  /// What else varies, such as the number of live queries; nil if the rows do.
  let parameter: String?
  let parameterValue: Int
  let unit: Unit
  /// The first is LiveStore.
  let entries: [Entry]
  let ratios: [Ratio]
  let bounds: [Bound]
}

/// A demand on a figure.
enum Wanted: Codable, Sendable {
  /// At most this many times the cost of a peer.
  case ratio(Double, to: String)
  /// At most this cost, in the figure's unit.
  case cost(Double)
}

extension Figure {
  /// - Parameter samples: of each contestant, one for each round.
  init(
    scene: String, work: String, rows: Int, parameter: (String, Int)?, unit: Unit,
    samples: [(name: String, values: [Double])], wanted: [Wanted], isComparison: Bool
  ) {
    let own = samples[0].values
    let ratios = samples.dropFirst(isComparison ? 1 : samples.count).map { peer in
      Ratio(peer: peer.name, value: Spread(zip(own, peer.values).map { $0 / $1 }))
    }
    self.scene = scene
    self.work = work
    self.rows = rows
    self.parameter = parameter?.0
    parameterValue = parameter?.1 ?? rows
    self.unit = unit
    entries = samples.map { Entry(name: $0.name, cost: Spread($0.values)) }
    self.ratios = ratios
    bounds = wanted.map { wanted in
      switch wanted {
      case .ratio(let limit, let name):
        let value = ratios.first { $0.peer == name }?.value.median ?? .nan
        return Bound(wanted: wanted, value: value, holds: value <= limit)
      case .cost(let limit):
        let value = Spread(own).median
        return Bound(wanted: wanted, value: value, holds: value <= limit)
      }
    }
  }
}
