internal import Cryptography

/// The keys that seal tokens and cursors, derived from a data directory's secret. Each kind of token has its own key,
/// so a token of one kind cannot be opened as another kind.
package struct DatabaseKeys: Sendable {
    let syncTokens: Seal
    let cursors: Seal
    let receipts: Seal
    let assetURLs: Seal
    let uploadURLs: Seal
    let webAuthTokens: Seal
    let notificationTokens: Seal
    /// Derives the IDs of notifications.
    let notifications: HMACSHA256
    /// Derives the secrets of webhooks.
    let webhooks: HMACSHA256

    init(secret: SecretKey) throws {
        syncTokens = try Seal(secret: secret, label: "fogbase sync token v1")
        cursors = try Seal(secret: secret, label: "fogbase cursor v1")
        receipts = try Seal(secret: secret, label: "fogbase receipt v1")
        assetURLs = try Seal(secret: secret, label: "fogbase asset url v1")
        uploadURLs = try Seal(secret: secret, label: "fogbase upload url v1")
        webAuthTokens = try Seal(secret: secret, label: "fogbase web auth token v1")
        notificationTokens = try Seal(secret: secret, label: "fogbase notification token v1")
        notifications = HMACSHA256(secret: secret, label: "fogbase notification v1")
        webhooks = HMACSHA256(secret: secret, label: "fogbase webhook v1")
    }
}
