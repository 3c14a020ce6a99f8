import HTTP
import RecordAPI

extension MatrixRow {
    /// Requests of callers with an account: users and API keys.
    private static func accounts(_ status: Int) -> [Int] {
        [401, status, status, status, status, status, status, 403, 403, 403, 403, 403]
    }

    /// The private database of the creator. Administrators may use it, but have no subscriptions.
    private static func ofCreator(_ status: Int) -> [Int] {
        [401, 403, status, 403, 403, 403, 403, 403, 403, 403, 403, 403]
    }

    /// Requests about a type that only editors and some keys may read. All users may watch their own records.
    private static let readers = [401, 201, 201, 201, 201, 403, 201, 403, 403, 403, 403, 403]

    /// The shared database, which only users have.
    private static func users(_ status: Int) -> [Int] {
        [401, status, status, status, 403, 403, 403, 403, 403, 403, 403, 403]
    }

    private static let place = "database=private&owner={creator}"
    private static let staff = #"{"type":"query","recordType":"Staff"}"#

    static let subscriptions: [MatrixRow] = [
        MatrixRow("listSubscriptions", .get, "/subscriptions", accounts(200)),
        MatrixRow("listSubscriptions", .get, "/subscriptions?\(place)", ofCreator(200)),
        MatrixRow("listSubscriptions", .get, "/subscriptions?database=shared", users(200)),
        MatrixRow("listSubscriptions", .get, "/subscriptions?everyone=true", .administrators(200, 200, 403, 403)),
        MatrixRow("readSubscription", .get, "/subscriptions/none", accounts(404)),
        MatrixRow("putSubscription", .put, "/subscriptions/new", staff, readers),
        MatrixRow("putSubscription", .put, "/subscriptions/new?\(place)", #"{"type":"database"}"#, ofCreator(201)),
        MatrixRow(
            "putSubscription", .put, "/subscriptions/new?\(place)", #"{"type":"zone","zone":"kept-kx95"}"#,
            ofCreator(201)),
        MatrixRow(
            "putSubscription", .put, "/subscriptions/new?database=shared", #"{"type":"database"}"#, users(201)),
        MatrixRow(
            "putSubscription", .put, "/subscriptions/new?database=shared",
            #"{"type":"zone","zone":"kept-kx95","owner":"{creator}"}"#, users(404)),
        MatrixRow("deleteSubscription", .delete, "/subscriptions/none", accounts(404)),
        MatrixRow("fetchNotifications", .get, "/notifications", accounts(200)),
        MatrixRow("createNotificationTicket", .post, "/notifications/tickets", accounts(201)),
    ]
}
