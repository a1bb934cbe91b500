"""The API of the original hardtoget: four HTTP endpoints, and events over Socket.IO."""
