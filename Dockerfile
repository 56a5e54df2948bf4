# One image for linux/amd64 and linux/arm64:
#   docker buildx build --platform linux/amd64,linux/arm64 -t orrery .
#   docker run -p 127.0.0.1:27017:27017 -v orrery:/data orrery

# The jar is the same for all platforms, so it is built once, on the builder's own.
FROM --platform=$BUILDPLATFORM maven:3.9-eclipse-temurin-17 AS build
WORKDIR /source
COPY . .
RUN mvn -B -q -pl server -am -DskipTests package

FROM eclipse-temurin:21-jdk
# Any user may run it, as clusters choose one: the store is open to all inside, and nothing else is
# written but below /data and /tmp.
RUN mkdir /data /opt/orrery \
    && chown 10001:0 /data \
    && chmod 0777 /data
COPY --from=build /source/server/target/orrery.jar /opt/orrery/orrery.jar
COPY --chmod=0755 docker/healthy /opt/orrery/healthy

# A short run of real commands writes down the classes that a start and the first requests need;
# later starts map them into memory.
RUN cd /opt/orrery \
    && timeout 60 java -XX:ArchiveClassesAtExit=orrery.jsa -jar orrery.jar train \
    && rm -rf /tmp/*

USER 10001:0
WORKDIR /data
VOLUME /data
EXPOSE 27017
# Inside the container every address is reachable only through a published port: publish it on
# 127.0.0.1, or set ORRERY_AUTH=true. Nobody in here knows that port, so clients are told of no
# address; who names replicaSet=globaldb in the client says which one by ORRERY_ADVERTISE.
ENV HOME=/data ORRERY_ADVERTISE=none ORRERY_BIND=0.0.0.0 ORRERY_DATA=/data ORRERY_INSECURE=true
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/opt/orrery/healthy"]
ENTRYPOINT ["java", "-Xlog:disable", "-Xlog:all=error,cds*=off:stderr", \
    "-XX:SharedArchiveFile=/opt/orrery/orrery.jsa", "-XX:MaxRAMPercentage=50", \
    "-jar", "/opt/orrery/orrery.jar"]
