import LiveStore

/// A property of each type that scans meet.
struct Wide: Entity, Equatable {
  enum Status: String, CaseIterable, Sendable { case draft, open, closed, archived }

  let id: Int
  var name: String
  var city: String
  var score: Int
  var price: Double
  var isOpen: Bool
  var rating: Int?
  var status: Status

  static let schema = Schema<Wide> {
    \.name
    \.city
    \.score
    \.price
    \.isOpen
    \.rating
    \.status
  }

  static let cities = [
    "Aachen", "Berlin", "Cologne", "Dresden", "Erfurt", "Frankfurt am Main", "Gotha", "Hamburg",
  ]

  init(_ number: Int) {
    let value = scattered(number)
    id = number
    name = "a name of some length, \(value)"
    city = Self.cities[value % 8]
    score = value
    price = Double(value) / 100
    isOpen = value % 2 == 0
    rating = value % 3 == 0 ? nil : value % 5
    status = Status.allCases[value % 4]
  }

  static func many(_ count: Int) -> [Wide] { (0..<count).map { Wide($0) } }
}
