import Dispatch

#if canImport(Combine)
  func scheduler(_ queue: DispatchQueue) -> DispatchQueue { queue }
#else
  import OpenCombineDispatch

  func scheduler(_ queue: DispatchQueue) -> DispatchQueue.OCombine { queue.ocombine }
#endif
