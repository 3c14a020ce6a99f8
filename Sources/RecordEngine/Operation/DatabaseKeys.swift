internal import Cryptography

/// What is derived from a folder's secret: the seals of tokens and cursors. Each use has a label of its own, so that a
/// token of one kind is noise to another.
package struct DatabaseKeys: Sendable {
    let syncTokens: Seal
    let cursors: Seal
    let receipts: Seal
    let assetURLs: Seal

    init(secret: SecretKey) throws {
        syncTokens = try Seal(secret: secret, label: "fogbase sync token v1")
        cursors = try Seal(secret: secret, label: "fogbase cursor v1")
        receipts = try Seal(secret: secret, label: "fogbase receipt v1")
        assetURLs = try Seal(secret: secret, label: "fogbase asset url v1")
    }
}
