import Foundation

/// The arguments of an import.
struct ImportRequest<Element: Entity & Decodable> {
  /// How many bytes an element may have. Without a limit a missing quote would make one element of a whole file.
  static var maximumLength: Int { 64_000_000 }

  let reader: ImportReader<Element>
  let run: ImportRun<Element>
  let origin: String?
  let progress: ((ImportProgress) throws -> Void)?

  init(
    _ mode: ImportMode<Element>, _ commit: ImportCommit, _ decoder: JSONDecoder, _ origin: String?,
    totalBytes: Int?, _ progress: ((ImportProgress) throws -> Void)?
  ) {
    reader = ImportReader(mode, decoder, maximumLength: Self.maximumLength)
    run = ImportRun(commit, totalBytes: totalBytes)
    (self.origin, self.progress) = (origin, progress)
  }
}
