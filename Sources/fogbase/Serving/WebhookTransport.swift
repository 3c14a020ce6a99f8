import HTTP
import HTTPSending
import RecordEngine

/// Sends the messages of webhooks over HTTP.
struct WebhookTransport: WebhookSender {
    private let policy: AddressPolicy
    private let sender: HTTPSender

    /// Starts the thread that sends.
    init(_ settings: Settings) {
        policy = AddressPolicy(allowing: settings.webhooksAllowPrivate.compactMap { IPNetwork($0) })
        sender = HTTPSender(policy, agent: "Fogbase/\(Version.text)")
    }

    func problem(with url: String) -> String? {
        do throws(OutgoingURL.Problem) {
            let url = try OutgoingURL(url)
            return url.isAllowed(by: policy) ? nil : Self.notAllowed(isEncrypted: url.isEncrypted)
        } catch {
            return error.reason
        }
    }

    func send(_ request: WebhookRequest) async -> WebhookResult {
        do throws(OutgoingURL.Problem) {
            let url = try OutgoingURL(request.url)
            var outgoing = OutgoingRequest(to: url, fields: request.fields, body: request.body)
            outgoing.keptFields = ["location"]
            return await send(outgoing)
        } catch {
            return .failure(error.reason)
        }
    }

    private func send(_ request: OutgoingRequest) async -> WebhookResult {
        do throws(SendingFailure) {
            let response = try await sender.send(request)
            return .response(
                status: response.status, body: response.body, retryAfter: response.retryAfter,
                location: response.fields["location"])
        } catch {
            switch error {
            case .closed: return .closed
            case .notAllowed(let isEncrypted): return .failure(Self.notAllowed(isEncrypted: isEncrypted))
            case .failed(let reason): return .failure(reason)
            }
        }
    }

    private static func notAllowed(isEncrypted: Bool) -> String {
        isEncrypted
            ? "The URL's address is not public, and the setting webhooks.allow_private does not name it"
            : "Without TLS, messages go only to networks of the setting webhooks.allow_private"
    }

    /// Ends all requests at once.
    func close() async {
        await sender.close()
    }
}
