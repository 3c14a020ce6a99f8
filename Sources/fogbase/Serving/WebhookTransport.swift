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
            return try OutgoingURL(url).problem(under: policy)?.reason
        } catch {
            return error.reason
        }
    }

    func send(_ request: WebhookRequest) async -> WebhookResult {
        do throws(OutgoingURL.Problem) {
            let url = try OutgoingURL(request.url)
            return await send(OutgoingRequest(to: url, fields: request.fields, body: request.body))
        } catch {
            return .failure(error.reason)
        }
    }

    private func send(_ request: OutgoingRequest) async -> WebhookResult {
        do throws(SendingFailure) {
            let response = try await sender.send(request)
            return .response(status: response.status, body: response.body, retryAfter: response.retryAfter)
        } catch {
            switch error {
            case .closed: return .closed
            case .failed(let reason): return .failure(reason)
            }
        }
    }

    /// Ends all requests at once.
    func close() async {
        await sender.close()
    }
}
