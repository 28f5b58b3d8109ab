import Foundation

/// A type whose values hold no NaN.
protocol WithoutNaN {}
extension String: WithoutNaN {}
extension Substring: WithoutNaN {}
extension Character: WithoutNaN {}
extension Bool: WithoutNaN {}
extension UUID: WithoutNaN {}
extension Data: WithoutNaN {}
extension URL: WithoutNaN {}

/// Whether it is known that no value of a type holds a NaN.
func isWithoutNaN<T>(_: T.Type) -> Bool {
  if T.self == String.self || T.self == Int.self { return true }
  if T.self is any WithoutNaN.Type || T.self is any BinaryInteger.Type { return true }
  return (T.self as? any ValueWithParts.Type)?.isWithoutNaN ?? false
}
