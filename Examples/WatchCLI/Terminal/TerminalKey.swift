/// What a key of the keyboard means.
package enum TerminalKey: Hashable, Sendable {
  case up, down, left, right
  case pageUp, pageDown
  case home, end
  case enter, escape
  case backspace, deleteLine
  case redraw
  /// A character that is typed.
  case character(Unicode.Scalar)
  case quit
  case find, findNext, findPrevious
  case sort
  /// A key without a meaning.
  case other

  /// What the key means where no text is typed.
  package var command: TerminalKey {
    guard case .character(let scalar) = self else { return self }
    return switch scalar {
    case "k": .up
    case "j": .down
    case "h": .left
    case "l": .right
    case "b": .pageUp
    case " ", "f": .pageDown
    case "g", "<": .home
    case "G", ">": .end
    case "/": .find
    case "n": .findNext
    case "N": .findPrevious
    case "s": .sort
    case "q", "Q": .quit
    default: .other
    }
  }
}
