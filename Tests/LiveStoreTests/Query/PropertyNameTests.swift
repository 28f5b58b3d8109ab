import LiveStore
import TestSupport
import Testing

private struct HomePlace: Sendable, Equatable {
  var city = ""
  var zip = 0
}

private struct Home: Entity {
  let id: Int
  var place = HomePlace()
  var next: HomePlace?
  var label = ""
  var shown: String { label + "!" }
  static let schema = Schema<Home> {
    \.place
    \.next
    Property(\.label, "title")
  }
}

/// The same properties in another entity, under other names.
private struct Office: Entity {
  let id: Int
  var place = HomePlace()
  var label = ""
  static let schema = Schema<Office> {
    Property(\.place, "site")
    \.label
  }
}

/// A member of an embedded value under a name of its own.
private struct Shop: Entity {
  let id: Int
  var place = HomePlace()
  static let schema = Schema<Shop> {
    Property(\.place.city, "town")
  }
}

/// Paths of properties in queries, which are found once for each key path.
@Suite struct PropertyNameTests {
  @Test func `a property has its own path each time that a query names it`() throws {
    for _ in 0..<3 {
      #expect("\(Home.where { $0.label == "a" })" == #"Home.where { title == "a" }"#)
      #expect("\(Office.where { $0.label == "a" })" == #"Office.where { label == "a" }"#)
      #expect("\(Home.where { $0.place.city == "b" })" == #"Home.where { place.city == "b" }"#)
      #expect("\(Office.where { $0.place.city == "b" })" == #"Office.where { site.city == "b" }"#)
      #expect("\(Home.where { $0.next.zip == 1 })" == "Home.where { next.zip == 1 }")
      #expect("\(Home.sorted(by: \.id))" == "Home.sorted(by: id)")
      #expect(Home.where { $0.shown == "c" } == Home.where { $0.shown == "c" })
      #expect(Home.where { $0.place.city == "c" } != Home.where { $0.label == "c" })
    }
  }

  /// Bug: the text of such a filter had the names of its members, and was refused when it was read.
  @Test func `a member that the schema names has a text by that name alone`() throws {
    let (named, members) = (
      Filter<Shop> { $0[\.place.city] == "a" }, Filter<Shop> { $0.place.city == "a" }
    )
    #expect(named.format == #"town == "a""#)
    #expect(try Filter<Shop>(format: #"town == "a""#) == named)
    for text in [members.format, Shop.where { $0.place.city == "a" }.sorted(by: \.place.city).format] {
      #expect(text.map { (try? Shop.query(format: $0)) != nil } ?? true)
    }
    #expect(Shop.all.where(members) == Shop.all.where(named))
  }

  @Test func `key paths that are put together at run time name the same properties`() throws {
    for _ in 0..<3_000 {
      let city = \Home.place as any KeyPath<Home, HomePlace> & Sendable
      let made = city.appending(path: \.city)
      // The parts are literals without captures.
      let path = unsafeBitCast(made, to: (any KeyPath<Home, String> & Sendable).self)
      try #require(Home.where { $0[path] == "b" } == Home.where { $0.place.city == "b" })
    }
  }

  @Test func `tasks that name properties at the same time get the same queries`() async {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          (0..<200).allSatisfy { _ in
            Home.where { $0.place.zip == 3 }.sorted(by: \.label)
              == Home.where { $0.place.zip == 3 }.sorted(by: \.label)
          }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
  }
}
