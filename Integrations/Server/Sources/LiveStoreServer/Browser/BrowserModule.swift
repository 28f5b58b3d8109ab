import HTTPTypes
import Hummingbird
import NIOCore

extension StoreServer {
  /// The module with which pages follow streams, as `import` loads it: without a token, since a browser sends none.
  func browserModule(_ request: Request) -> Response {
    var rules = configuration.access
    rules.token = nil
    if let refusal = rules.refusal(of: request.head) { return shared(refusal.response, with: request) }
    let headers: HTTPFields = [.contentType: "text/javascript; charset=utf-8", .cacheControl: "no-cache"]
    let body = ResponseBody(byteBuffer: ByteBuffer(bytes: PackageResources.livestore_js))
    return shared(Response(status: .ok, headers: headers, body: body), with: request)
  }
}
