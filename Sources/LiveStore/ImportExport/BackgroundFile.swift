import Dispatch
import Foundation

/// A file that is read in the background. A pipe or device that has no bytes holds no thread.
actor BackgroundFile {
  nonisolated let totalBytes: Int?
  private let chunks: FileChunks

  init(_ url: URL) throws {
    chunks = try FileChunks(url)
    totalBytes = chunks.totalBytes
  }

  /// The next chunk, or nil at the end.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, also while a pipe has no bytes.
  func next() async throws -> Data? {
    while true {
      if let chunk = try chunks.nextIfReadable(isWaiting: false) { return chunk.isEmpty ? nil : chunk }
      try await waitUntilReadable()
    }
  }

  private func waitUntilReadable() async throws {
    let reading = Reading(
      source: DispatchSource.makeReadSource(fileDescriptor: chunks.descriptor, queue: .global()))
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        reading.source.setEventHandler { reading.source.cancel() }
        reading.source.setCancelHandler { continuation.resume() }
        reading.source.activate()
      }
    } onCancel: {
      reading.source.cancel()
    }
    try Task.checkCancellation()
  }

  // Proof of sendability: sources may be used on any thread; Dispatch does not declare it on all systems.
  private struct Reading: @unchecked Sendable {
    let source: any DispatchSourceRead
  }
}
