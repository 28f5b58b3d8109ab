import LiveStore
import TestSupport

/// An entity that simulations edit.
protocol Simulated: Social {
  /// Takes one property over from another object.
  mutating func take(_ property: Int, from other: Self)
}

extension Writer: Simulated {
  var modelLinks: [ModelLink] { follows.map { ModelLink("Writer.follows", to: $0) } }

  mutating func removeLinks(to id: Int, in property: String) { follows.remove(Ref(id)) }

  mutating func take(_ property: Int, from other: Writer) {
    switch property % 3 {
    case 0: name = other.name
    case 1: age = other.age
    default: follows = other.follows
    }
  }
}

extension Topic: Simulated {
  func uniqueValue(of property: String) -> String? { name }

  mutating func take(_ property: Int, from other: Topic) {
    if property.isMultiple(of: 2) { name = other.name } else { weight = other.weight }
  }
}

extension Article: Simulated {
  var modelLinks: [ModelLink] {
    (author.map { [ModelLink("Article.author", to: $0)] } ?? [])
      + topics.map { ModelLink("Article.topics", to: $0) }
  }

  mutating func removeLinks(to id: Int, in property: String) {
    if property == "Article.author" { author = nil } else { topics.removeAll { $0.id == id } }
  }

  mutating func take(_ property: Int, from other: Article) {
    switch property % 5 {
    case 0: title = other.title
    case 1: likes = other.likes
    case 2: author = other.author
    case 3: topics = other.topics
    default: topics.append(contentsOf: other.topics)
    }
  }
}

extension Reply: Simulated {
  var modelLinks: [ModelLink] {
    [ModelLink("Reply.article", to: article)] + (parent.map { [ModelLink("Reply.parent", to: $0)] } ?? [])
  }

  /// `article` is never nullified.
  mutating func removeLinks(to id: Int, in property: String) { parent = nil }

  mutating func take(_ property: Int, from other: Reply) {
    switch property % 3 {
    case 0: text = other.text
    case 1: article = other.article
    default: parent = other.parent
    }
  }
}

extension Meeting: Simulated {
  var modelLinks: [ModelLink] {
    (venue?.host.map { [ModelLink("Meeting.venue.host", to: $0)] } ?? [])
      + (venue?.guests.map { ModelLink("Meeting.venue.guests", to: $0) } ?? [])
      + board.values.map { ModelLink("Meeting.board", to: $0) }
  }

  mutating func removeLinks(to id: Int, in property: String) {
    switch property {
    case "Meeting.venue.host": venue?.host = nil
    case "Meeting.venue.guests": venue?.guests.removeAll { $0.id == id }
    default: for name in board.keys where board[name] == Ref(id) { board[name] = nil }
    }
  }

  mutating func take(_ property: Int, from other: Meeting) {
    switch property % 3 {
    case 0: name = other.name
    case 1: venue = other.venue
    default: board = other.board
    }
  }
}
