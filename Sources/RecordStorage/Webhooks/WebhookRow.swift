package import RecordModel

/// A stored webhook.
package struct WebhookRow: Hashable, Sendable {
    /// Whether messages are sent.
    package enum State: String, Hashable, Sendable {
        case active
        /// A caller has paused the webhook, or the server after the file was copied.
        case paused
        /// The server has given up.
        case disabled
    }

    /// The kind of the caller as which the webhook reads.
    package enum ReaderKind: String, Hashable, Sendable {
        case administrator, key
    }

    /// The number of the webhook; 0 before the row is stored.
    package var id: Int64
    /// The random ID for lists and paths.
    package var publicID: String
    /// The URL of the receiver.
    package var url: String
    /// The description for people.
    package var description: String
    /// The kind of the caller as which the webhook reads.
    package var readerKind: ReaderKind
    /// The number of the administrator, or the account of the key.
    package var reader: Int64
    /// The owner of the private database; `nil` for the public database.
    package var owner: UserID?
    /// The name of the zone in this database; `nil` for the default zone.
    package var zone: String?
    /// The selected changes as a JSON object.
    package var selection: String
    /// When the webhook was created, in milliseconds since 1970.
    package var created: Int64
    /// The number of the current secret, from 1.
    package var secret: Int64 = 1
    /// Until when the previous secret also signs, in milliseconds since 1970.
    package var overlaps: Int64?
    /// Whether messages are sent.
    package var state: State = .active
    /// Why the webhook is not active, as a sentence without a period.
    package var reason: String?
    /// Rises if something other than a delivery moves the position, or changes what is sent.
    package var revision: Int64 = 1
    /// The position as a sync token; empty for the beginning.
    package var position: String
    /// The sequence number at which a failed message ended. Its retry ends there too.
    package var last: Int64?
    /// The number of failed attempts since the last success.
    package var failures: Int64 = 0
    /// When the first of these attempts was, in milliseconds since 1970.
    package var failing: Int64?
    /// When to send next, in milliseconds since 1970.
    package var due: Int64 = 0

    /// Creates a webhook without deliveries.
    package init(
        id: Int64 = 0, publicID: String, url: String, description: String, readerKind: ReaderKind, reader: Int64,
        owner: UserID?, zone: String?, selection: String, created: Int64, position: String
    ) {
        self.id = id
        self.publicID = publicID
        self.url = url
        self.description = description
        self.readerKind = readerKind
        self.reader = reader
        self.owner = owner
        self.zone = zone
        self.selection = selection
        self.created = created
        self.position = position
    }
}

/// A stored attempt to deliver a message.
package struct WebhookDeliveryRow: Hashable, Sendable {
    /// When the attempt began, in milliseconds since 1970.
    package var at: Int64
    /// The ID of the message.
    package var message: String
    /// The type of the message.
    package var type: String
    /// The number of events in the message.
    package var events: Int64
    /// The number of the attempt, from 1.
    package var attempt: Int64
    /// The duration in milliseconds.
    package var duration: Int64
    /// The status of the response; `nil` without a response.
    package var status: Int64?
    /// Why the attempt failed; `nil` for a success or a status.
    package var error: String?
    /// The beginning of the response's body.
    package var response: String?

    /// Creates a row.
    package init(
        at: Int64, message: String, type: String, events: Int64, attempt: Int64, duration: Int64, status: Int64?,
        error: String?, response: String?
    ) {
        self.at = at
        self.message = message
        self.type = type
        self.events = events
        self.attempt = attempt
        self.duration = duration
        self.status = status
        self.error = error
        self.response = response
    }
}
