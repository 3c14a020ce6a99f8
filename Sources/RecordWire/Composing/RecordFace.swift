/// The protocol in which records and errors are written.
package enum RecordFace: Sendable {
    /// The server's own protocol.
    case native
    /// CloudKit's protocol.
    case cloudKit(CloudKitFace)

    /// The settings of CloudKit's protocol; `nil` for the server's own.
    package var cloudKit: CloudKitFace? {
        if case .cloudKit(let face) = self { face } else { nil }
    }
}

/// How the records and errors of one response of CloudKit's protocol are written.
///
/// A class, so that passing on the face of a native request costs no more than a null pointer.
package final class CloudKitFace: Sendable {
    /// The `zoneID` of each record as JSON; `nil` to leave it out.
    package let zone: [UInt8]?
    /// Whether INT64 and DOUBLE values are strings. TIMESTAMP values stay numbers.
    package let numbersAsStrings: Bool
    /// The identifier of the request, for the `uuid` of errors.
    package let uuid: String
    /// The page on which a user can sign in, for errors; `nil` to leave it out.
    package let redirectURL: String?
    /// The URL of the server as the client uses it, such as `https://example.org`, for the URLs of assets.
    package let baseURL: String
    /// The fields of each item of the request that names its own, in the order of the items. Items beyond the end name
    /// none.
    package let desiredKeys: [[String]?]

    /// Creates a face for one response.
    package init(
        uuid: String, baseURL: String, zone: [UInt8]? = nil, numbersAsStrings: Bool = false, redirectURL: String? = nil,
        desiredKeys: [[String]?] = []
    ) {
        self.zone = zone
        self.numbersAsStrings = numbersAsStrings
        self.uuid = uuid
        self.redirectURL = redirectURL
        self.baseURL = baseURL
        self.desiredKeys = desiredKeys
    }

    /// Returns the fields that an item of the request names; `nil` if it names none.
    package func desiredKeys(at position: Int) -> [String]? {
        position < desiredKeys.count ? desiredKeys[position] : nil
    }
}
