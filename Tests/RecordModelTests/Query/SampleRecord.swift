import Geography
import RecordModel

/// A record in memory.
struct SampleRecord: PredicateSubject {
    var values: [String: QueryValue] = [:]
    var lists: [String: [QueryValue]] = [:]
    var places: [String: [Place]] = [:]

    func value(of field: QueryField) -> QueryValue? { values[field.name] }
    func members(of field: QueryField) -> [QueryValue] { lists[field.name] ?? [] }
    func places(of field: QueryField) -> [Place] { places[field.name] ?? [] }
    func memberCount(of field: QueryField) -> Int { members(of: field).count }
    func isPresent(_ field: QueryField) -> Bool {
        values[field.name] != nil || lists[field.name] != nil || places[field.name] != nil
    }
}
