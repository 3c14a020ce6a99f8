import HTTP
import RecordAPI

extension MatrixRow {
    /// Requests of callers that may manage webhooks. All others learn nothing of a webhook, not even whether it exists.
    private static func managers(_ status: Int) -> [Int] {
        .administrators(status, status, 403, 403)
    }

    private static let missing = "0123456789abcdef0123456789abcdef"

    /// A request about one webhook.
    private static func one(
        _ route: String, _ method: HTTPMethod, _ path: String = "", _ body: String? = nil, _ status: Int = 200
    ) -> MatrixRow {
        MatrixRow(
            route, method, "/webhooks/{webhook}\(path)", body, managers(status), twin: ("{webhook}", missing))
    }

    static let webhooks: [MatrixRow] = [
        MatrixRow("listWebhooks", .get, "/webhooks", managers(200)),
        MatrixRow("createWebhook", .post, "/webhooks", #"{"url":"https://example.org/"}"#, managers(201)),
        MatrixRow(
            "createWebhook", .post, "/webhooks?database=private&owner={creator}", #"{"url":"https://example.org/"}"#,
            .administrators(201, 403, 403, 403)),
        MatrixRow("createWebhook", .post, "/webhooks", #"{"url":"ftp://example.org/"}"#, managers(400)),
        one("readWebhook", .get),
        one("changeWebhook", .patch, "", #"{"url":"https://example.org/other"}"#),
        one("deleteWebhook", .delete, "", nil, 204),
        one("listWebhookDeliveries", .get, "/deliveries"),
        one("replayWebhook", .post, "/replay?since=beginning"),
        one("testWebhook", .post, "/test"),
        one("pauseWebhook", .post, "/pause"),
        one("resumeWebhook", .post, "/resume"),
        one("rotateWebhookSecret", .post, "/secret"),
    ]
}
