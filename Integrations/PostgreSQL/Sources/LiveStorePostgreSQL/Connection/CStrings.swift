import Foundation

/// Calls the closure with texts as C has them and a null pointer after the last; they are valid during the
/// call.
///
/// The texts must not have a zero byte; nil becomes a null pointer.
func withCStrings<Result>(
  _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) throws -> Result
) rethrows -> Result {
  let copies = texts.map { $0.flatMap { strdup($0) } }
  defer {
    for copy in copies { free(copy) }
  }
  let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
  return try pointers.withUnsafeBufferPointer { buffer in
    guard let address = buffer.baseAddress else { preconditionFailure("The array has a last element.") }
    return try body(address)
  }
}
