@main
struct LiveStoreWatch {
  static func main() {}
}
