// A client's code names the values of fields (`Asset`, `Location`, `Reference`), which server and client share; whoever
// imports the client shall not have to know in which module they stand.
@_exported public import RecordModel
