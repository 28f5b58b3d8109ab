/// How far an import is.
public struct ImportProgress: Sendable, Hashable {
  /// How many bytes have been read.
  public internal(set) var bytesRead = 0
  /// How many bytes there are, if that is known: for files and data.
  public internal(set) var totalBytes: Int?
  /// How many objects have been decoded.
  public internal(set) var objectsRead = 0
  /// How many objects have been committed.
  public internal(set) var objectsCommitted = 0
}
