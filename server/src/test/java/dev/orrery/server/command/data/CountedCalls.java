package dev.orrery.server.command.data;

import dev.orrery.storage.CollectionStore;
import dev.orrery.storage.StorageEngine;
import dev.orrery.storage.WriteBatch;
import dev.orrery.storage.WriteOperation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Stands before an engine and counts by name what its collections are asked. What it hands on is
 * the engine's own, so that nothing else changes.
 */
final class CountedCalls {
  private final Map<String, Integer> counts = new TreeMap<>();
  private final Map<Object, Object> counted = new IdentityHashMap<>(); // by what they stand before
  private final Map<Object, CollectionStore> real = new IdentityHashMap<>(); // the other way round

  StorageEngine before(StorageEngine engine) {
    return (StorageEngine)
        Proxy.newProxyInstance(
            StorageEngine.class.getClassLoader(),
            new Class<?>[] {StorageEngine.class},
            (proxy, method, arguments) -> wrapped(call(engine, method, unwrapped(arguments))));
  }

  void reset() {
    counts.clear();
  }

  int of(String method) {
    return counts.getOrDefault(method, 0);
  }

  private Object wrapped(Object result) {
    return result instanceof CollectionStore collection
        ? counted.computeIfAbsent(collection, one -> counting(collection))
        : result;
  }

  private CollectionStore counting(CollectionStore collection) {
    var proxy =
        (CollectionStore)
            Proxy.newProxyInstance(
                CollectionStore.class.getClassLoader(),
                new Class<?>[] {CollectionStore.class},
                (self, method, arguments) -> {
                  if (method.getName().equals("equals")) {
                    return self == arguments[0];
                  }
                  counts.merge(method.getName(), 1, Integer::sum);
                  return call(collection, method, arguments);
                });
    real.put(proxy, collection);
    return proxy;
  }

  private Object[] unwrapped(Object[] arguments) {
    if (arguments == null) {
      return null;
    }
    Object[] own = arguments.clone();
    for (int i = 0; i < own.length; i++) {
      if (own[i] instanceof CollectionStore collection) {
        own[i] = own(collection);
      } else if (own[i] instanceof WriteBatch batch) {
        var operations = batch.operations().stream().map(this::own).toList();
        own[i] = new WriteBatch(operations, batch.onFailure());
      }
    }
    return own;
  }

  private WriteOperation own(WriteOperation operation) {
    if (operation instanceof WriteOperation.Insert one) {
      return new WriteOperation.Insert(own(one.collection()), one.document(), one.key());
    } else if (operation instanceof WriteOperation.Replace one) {
      return new WriteOperation.Replace(own(one.collection()), one.before(), one.after());
    } else if (operation instanceof WriteOperation.Delete one) {
      return new WriteOperation.Delete(own(one.collection()), one.before());
    }
    throw new IllegalArgumentException("an unknown operation: " + operation);
  }

  private CollectionStore own(CollectionStore collection) {
    return real.getOrDefault(collection, collection);
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
